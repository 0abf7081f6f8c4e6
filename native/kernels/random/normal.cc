// SPDX-License-Identifier: Apache-2.0
#include "engines/in_order.h"
#include "engines/overlap.h"
#include "engines/pointwise.h"
#include "kernels/random/seed.h"
#include "ops/inplace_normal.h"
#include "ops/inplace_normal_tensor.h"
#include "ops/normal_float_float.h"
#include "ops/normal_float_tensor.h"
#include "ops/normal_tensor_float.h"
#include "ops/normal_tensor_tensor.h"

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

void scale_loop(const void* const* in, void* const* out, int64_t n, const Number*) {
  const auto* const normal = static_cast<const double*>(in[0]);
  const auto* const mean = static_cast<const double*>(in[1]);
  const auto* const deviation = static_cast<const double*>(in[2]);
  auto* const result = static_cast<double*>(out[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) result[i] = normal[i] * deviation[i] + mean[i];
}

TensorView single(const float* number) {
  TensorView view = row_major_view(Shape{}, ACL_FLOAT);
  view.data = const_cast<float*>(number);
  return view;
}

// In double, so that all but the last rounding is that of the standard normal numbers.
Status fill_distributions(const TensorView& out, const TensorView& mean,
                          const TensorView& deviation, const Seed& seed) {
  CopiedView normal;
  Status status = make_dense(shape_of(out), ACL_FLOAT, normal);
  if (status.ok()) status = fill_distribution(normal.view, 0, 1, seed);
  if (!status.ok()) return status;
  const Operand ins[] = {{&normal.view, ACL_DOUBLE}, {&mean, ACL_DOUBLE}, {&deviation, ACL_DOUBLE}};
  const Operand result = {&out, ACL_DOUBLE};
  return pointwise(scale_loop, &result, 1, ins, 3, nullptr);
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

Status run(const NormalTensorTensorArgs& args) {
  return fill_distributions(args.out, args.mean, args.std, seed_of(args));
}
Status run(const NormalTensorFloatArgs& args) {
  return fill_distributions(args.out, args.mean, single(&args.std), seed_of(args));
}
Status run(const NormalFloatTensorArgs& args) {
  return fill_distributions(args.out, single(&args.mean), args.std, seed_of(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
