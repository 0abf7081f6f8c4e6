// SPDX-License-Identifier: Apache-2.0
// GELU, scaled and rounded to 8 bits: by a scale that is given, or by one for each row.
#include "ops/gelu_quant.h"

#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "engines/pointwise.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// x, scale, offset
template <bool kByTanh>
void scaled_gelu_loop(const void* const* in, void* const* out, int64_t n, const Number*) {
  const auto* x = static_cast<const float*>(in[0]);
  const auto* scale = static_cast<const float*>(in[1]);
  const auto* offset = static_cast<const float*>(in[2]);
  auto* result = static_cast<float*>(out[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float a = x[i];
    const float part = kByTanh ? math::sigmoid(1.5957691216f * (a + 0.044715f * a * a * a))
                               : 0.5f * math::erfc(a * -0.70710678118f);
    result[i] = a * part * scale[i] + offset[i];
  }
}

struct Target {
  float most;  // the largest number; others are cut off
  bool whole;
};

Target target_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT8_E5M2:
      return {57344, false};
    case ACL_FLOAT8_E4M3FN:
      return {448, false};
    case ACL_HIFLOAT8:
      return {32768, false};
    default:
      return {127, true};
  }
}

// value, divisor; numbers: the least and the most. What is left to do for 8-bit floats is a cast.
template <bool kWhole>
void rounding_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const auto* value = static_cast<const float*>(in[0]);
  const auto* divisor = static_cast<const float*>(in[1]);
  auto* result = static_cast<float*>(out[0]);
  const float least = numbers[0].f, most = numbers[1].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float quotient = value[i] / divisor[i];
    const float rounded = kWhole ? math::round(quotient) : quotient;
    result[i] = rounded < least ? least : (rounded > most ? most : rounded);
  }
}

// A tensor that may be left out, then a number that stands for it.
struct Factor {
  float number;
  TensorView view;

  Factor(const TensorView& given, float otherwise) : number(otherwise) {
    view = given.present ? given : row_major_view(Shape{}, ACL_FLOAT);
    if (!given.present) view.data = &number;
  }
  Factor(const Factor&) = delete;
};

Status scale_gelu(const GeluQuantArgs& args, bool with_offset, CopiedView& values) {
  Status made = make_dense(shape_of(args.self), ACL_FLOAT, values);
  if (!made.ok()) return made;
  static const TensorView absent;
  const Factor scale(args.inputScaleOptional, 1);
  const Factor offset(with_offset ? args.inputOffsetOptional : absent, 0);
  const bool by_tanh = std::strcmp(args.approximate, "tanh") == 0;
  const Operand ins[] = {
      {&args.self, ACL_FLOAT}, {&scale.view, ACL_FLOAT}, {&offset.view, ACL_FLOAT}};
  const Operand out = {&values.view, ACL_FLOAT};
  return pointwise(by_tanh ? scaled_gelu_loop<true> : scaled_gelu_loop<false>, &out, 1, ins, 3,
                   nullptr);
}

// The scale of a row maps its largest number to that of the target. NaN does not count.
void find_scales(const TensorView& values, float most, const TensorView& scales) {
  const int64_t length = values.shape[values.rank - 1], rows = scales.elements();
  const auto* from = static_cast<const float*>(values.data);
  auto* to = static_cast<float*>(scales.data);
  parallel_for(rows, 1 + 16384 / (length + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float largest = 0;
      for (int64_t i = 0; i < length; ++i) {
        const float size = std::fabs(from[row * length + i]);
        largest = size > largest ? size : largest;
      }
      to[row] = largest * (1 / most);
    }
  });
}

Status round_to(const TensorView& out, const TensorView& values, const TensorView& divisor) {
  const Target target = target_of(out.dtype);
  Number numbers[2] = {};
  numbers[0].f = target.whole ? -128 : -target.most;
  numbers[1].f = target.most;
  const Operand ins[] = {{&values, ACL_FLOAT}, {&divisor, ACL_FLOAT}}, to = {&out, ACL_FLOAT};
  return pointwise(target.whole ? rounding_loop<true> : rounding_loop<false>, &to, 1, ins, 2,
                   numbers);
}

}  // namespace

Status run(const GeluQuantArgs& args) {
  const bool dynamic = std::strcmp(args.quantMode, "dynamic") == 0;
  CopiedView values, scales;
  Status status = scale_gelu(args, !dynamic, values);
  if (!status.ok()) return status;
  if (!dynamic) {
    static const TensorView absent;
    const Factor one(absent, 1);
    return round_to(args.y, values.view, one.view);
  }
  Shape rows = shape_of(args.self);
  rows.dims[rows.rank - 1] = 1;
  status = make_dense(rows, ACL_FLOAT, scales);
  if (!status.ok()) return status;
  find_scales(values.view, target_of(args.y.dtype).most, scales.view);
  status = round_to(args.y, values.view, scales.view);
  if (!status.ok()) return status;
  --scales.view.rank;  // the last dimension has one element
  return copy(args.outScaleOptional, scales.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
