// SPDX-License-Identifier: Apache-2.0
#include "engines/in_order.h"
#include "kernels/random/seed.h"
#include "ops/inplace_uniform.h"
#include "ops/inplace_uniform_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// As many as the dtype has after its leading one, as upstream.
int random_bits(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return 10;
  return dtype == ACL_BF16 ? 7 : 23;
}

Status fill_interval(const TensorView& out, double from, double to, const Seed& seed) {
  const RandomWords random = words_in_order(seed);
  const float start = static_cast<float>(from), range = static_cast<float>(to) - start;
  const int bits = random_bits(out.dtype);
  const uint32_t mask = (1u << bits) - 1;
  const float unit = 1.0f / static_cast<float>(1 << bits);
  const auto fill = [&](char* elements, int64_t place, int64_t count) {
    uint32_t words[kOrderedBlock];
    random.fill(words, place, count);
    float* const numbers = reinterpret_cast<float*>(elements);
    for (int64_t i = 0; i < count; ++i) {
      const float uniform = static_cast<float>(static_cast<int32_t>(words[i] & mask)) * unit;
      numbers[i] = uniform * range + start;
    }
  };
  return write_blocks_in_order(out, ACL_FLOAT, fill);
}

}  // namespace

Status run(const InplaceUniformArgs& args) {
  return fill_interval(args.selfRef, args.from, args.to, seed_of(args));
}
Status run(const InplaceUniformTensorArgs& args) {
  return fill_interval(args.selfRef, args.from, args.to, seed_in_tensors(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
