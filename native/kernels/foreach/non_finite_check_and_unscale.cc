// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engines/copy.h"
#include "engines/pointwise_sum.h"
#include "engines/scalars.h"
#include "ops/foreach_non_finite_check_and_unscale.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// 0, or NaN where there is no number: then the sum is NaN, too.
void difference_from_itself(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] - from[i];
}

void scale(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] * numbers[0].f;
}

Status has_non_finite(const TensorView& view, bool* found) {
  float total = 0;
  TensorView sum = row_major_view(Shape(), ACL_FLOAT);
  sum.data = &total;
  const Operand in = {&view, ACL_FLOAT}, out = {&sum, ACL_FLOAT};
  Status status = pointwise_sum(difference_from_itself, out, &in, 1, nullptr, false);
  *found |= std::isnan(total);
  return status;
}

}  // namespace

Status run(const ForeachNonFiniteCheckAndUnscaleArgs& args) {
  const TensorView& factor = args.invScale;
  Number number;
  number.f = load<float>(static_cast<const char*>(factor.data) + factor.offset * sizeof(float));
  bool found = false;
  for (const TensorView& view : args.scaledGrads) {
    Status status = has_non_finite(view, &found);
    if (!status.ok()) return status;
    const Operand place = {&view, view.dtype};
    status = pointwise(scale, &place, 1, &place, 1, &number);
    if (!status.ok()) return status;
  }
  return found ? fill(args.foundInf, double_value(1.0)) : Status();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
