// SPDX-License-Identifier: Apache-2.0
#include "engines/in_order.h"
#include "kernels/random/seed.h"
#include "ops/inplace_normal.h"
#include "ops/inplace_normal_tensor.h"
#include "ops/normal_float_float.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status fill_distribution(const TensorView& out, float mean, float deviation, const Seed& seed) {
  const RandomWords random = words_in_order(seed);
  return write_blocks_in_order(out, ACL_FLOAT, [&](char* elements, int64_t place, int64_t count) {
    float* const numbers = reinterpret_cast<float*>(elements);
    fill_normal(random, numbers, place, count);
    for (int64_t i = 0; i < count; ++i) numbers[i] = numbers[i] * deviation + mean;
  });
}

}  // namespace

Status run(const InplaceNormalArgs& args) {
  return fill_distribution(args.selfRef, args.mean, args.std, seed_of(args));
}
Status run(const InplaceNormalTensorArgs& args) {
  return fill_distribution(args.selfRef, args.mean, args.std, seed_in_tensors(args));
}
Status run(const NormalFloatFloatArgs& args) {
  return fill_distribution(args.out, args.mean, args.std, seed_of(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
