// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <type_traits>

#include "engines/copy.h"
#include "engines/in_order.h"
#include "kernels/creation/element.h"
#include "operator/scalar.h"
#include "ops/arange.h"
#include "ops/linspace.h"
#include "ops/log_space.h"
#include "ops/range.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename T>
auto multiples(T start, T step) {
  return [=](int64_t i) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(start + static_cast<T>(i) * step);
    return start + number_of_place<T>(i) * step;
  };
}

// Integers wrap, which only unsigned ones may.
Status sequence(const ScalarValue& start, const ScalarValue& step, const TensorView& out) {
  switch (out.dtype) {
    case ACL_INT32:
      return write_in_order<uint32_t>(out, ACL_INT32,
                                      multiples(static_cast<uint32_t>(integer_of(start)),
                                                static_cast<uint32_t>(integer_of(step))));
    case ACL_INT64:
      return write_in_order<uint64_t>(out, ACL_INT64,
                                      multiples(static_cast<uint64_t>(integer_of(start)),
                                                static_cast<uint64_t>(integer_of(step))));
    case ACL_DOUBLE:
      return write_in_order<double>(out, ACL_DOUBLE,
                                    multiples(start.to_double(), step.to_double()));
    default:
      return write_in_order<float>(out, ACL_FLOAT, multiples(start.to_float(), step.to_float()));
  }
}

// Each half counts from its own end, so that both are exact.
struct Line {
  Line(float from, float to, int64_t count)
      : start(from), end(to), last(count - 1), half(count / 2) {
    step = (to - from) / static_cast<float>(last);
  }

  float operator()(int64_t i) const {
    const float up = start + step * number_of_place<float>(i);
    const float down = end - step * number_of_place<float>(last - i);
    return i < half ? up : down;
  }

  float start, end, step;
  int64_t last, half;
};

Status double_line(double start, double end, int64_t steps, const TensorView& out) {
  const int64_t last = steps - 1;
  const double step = (end - start) / static_cast<double>(last);
  return write_in_order<double>(out, ACL_DOUBLE, [=](int64_t i) {
    return i == last ? end : start + step * number_of_place<double>(i);
  });
}

// Exponents of 16 bits are rounded as the result is, unless they are of two kinds.
aclDataType exponent_type(const LogSpaceArgs& args) {
  const aclDataType start = args.start.dtype, end = args.end.dtype;
  const bool mixed =
      (start == ACL_FLOAT16 && end == ACL_BF16) || (start == ACL_BF16 && end == ACL_FLOAT16);
  return mixed ? ACL_FLOAT : args.result.dtype;
}

ScalarValue double_scalar(double value) {
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = ACL_DOUBLE;
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

}  // namespace

Status run(const ArangeArgs& args) { return sequence(args.start, args.step, args.out); }

Status run(const RangeArgs& args) { return sequence(args.start, args.step, args.out); }

Status run(const LinspaceArgs& args) {
  const aclDataType dtype = args.out.dtype;
  if (args.steps == 1) return fill(args.out, as_element(args.start, dtype));
  const aclDataType ends = dtype == ACL_INT64 ? ACL_FLOAT : dtype;
  const ScalarValue start = as_element(args.start, ends), end = as_element(args.end, ends);
  if (dtype == ACL_DOUBLE) {
    return double_line(start.to_double(), end.to_double(), args.steps, args.out);
  }
  return write_in_order<float>(args.out, ACL_FLOAT,
                               Line(start.to_float(), end.to_float(), args.steps));
}

Status run(const LogSpaceArgs& args) {
  const aclDataType dtype = exponent_type(args);
  const float base = as_element(as_element(double_scalar(args.base), ACL_FLOAT), dtype).to_float();
  const float start = as_element(args.start, dtype).to_float();
  const float end = as_element(args.end, dtype).to_float();
  if (args.steps == 1) {
    const float power = std::pow(base, start);
    return write_in_order<float>(args.result, ACL_FLOAT, [=](int64_t) { return power; });
  }
  const Line exponents(start, end, args.steps);
  return write_in_order<float>(args.result, ACL_FLOAT,
                               [=](int64_t i) { return std::pow(base, exponents(i)); });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
