// SPDX-License-Identifier: Apache-2.0
// The logarithm of the gamma function and its derivative, in double; not vectorised.
// Both call the C library, whose last bits may differ between processors; rounding to float leaves
// little of that.
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// std::lgamma stores the sign in a global variable, which threads would race for.
inline double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
inline float lgamma(float x) { return static_cast<float>(lgamma(static_cast<double>(x))); }

// digamma x of x > 0: psi(x) = psi(x + 1) - 1 / x until the asymptotic series holds.
inline double digamma_positive(double x) {
  double sum = 0;
  while (x < 12) {
    sum -= 1 / x;
    x += 1;
  }
  const double inverse = 1 / x, square = inverse * inverse;
  const double series = square * polynomial(square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                            1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return sum + (std::log(x) - 0.5 * inverse - series);
}

// As torch has it: infinite at 0, with the opposite sign, and NaN at negative whole numbers.
inline double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity<double>, -x);
  if (x > 0) return digamma_positive(x);
  const double fraction = x - std::trunc(x);
  if (fraction == 0) return kNan<double>;
  return digamma_positive(1 - x) - kPi / std::tan(kPi * fraction);
}
inline float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
