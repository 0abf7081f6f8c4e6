// SPDX-License-Identifier: Apache-2.0
// The logarithm of the gamma function and its derivative: Note [Mathematical functions].
// Of double, and the derivative at all, they are not vectorised and call the C library, whose last
// bits may differ between processors; rounding to float leaves little of that.
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

// log of normal positive x, as exact as double allows.
ACLHOST_INLINE double log_precise(double x) {
  const Split split(x);
  const double s = split.fraction / (2 + split.fraction);
  // log((1 + s) / (1 - s)) / s to within 1.4e-17 of itself, |s| <= 1/5.
  const double quotient =
      polynomial(s * s, 2.0, 0.6666666666667561, 0.3999999999533475, 0.28571429498018497,
                 0.2222213198993017, 0.1818657637161891, 0.15246401160686998, 0.15394195228234706);
  return split.exponent * kLn2 + s * quotient;
}

// log gamma(x) of x > 0: Stirling's from 3 on; below, that of 1 <= 1 + v <= 2 and the logarithm of
// what is between.
ACLHOST_INLINE double lgamma_positive(double x) {
  const double below = x < 1 ? 0.0 : 1.0, steps = x < 2 ? below : 2.0, v = x - steps;
  double factor = x < 1 ? x : 1.0;
  factor = x < 2 ? factor : x - 1;
  const double logarithm = log_precise(x < 3 ? factor : x), centred = v - 0.5;
  // lgamma(1 + v) / (v (v - 1)) to within 1.7e-15 of itself.
  const double quotient = polynomial(
      centred, 0.4831289505409817, -0.1459598959143113, 0.06291140107404608, -0.03130848749977621,
      0.016797098686097377, -0.009425622534145318, 0.005446455612203485, -0.003212071379982027,
      0.0019229614594803237, -0.001164460343779706, 0.0007110080191616977, -0.0004375390351729456,
      0.0002746749747097019, -0.00017161158105560536, 9.276503342716563e-05, -5.686354755616732e-05,
      6.687726371315848e-05, -4.355835296557087e-05);
  const double sign = x < 1 ? -1.0 : 1.0, inner = v * (v - 1) * quotient + sign * logarithm;
  const double inverse = 1 / x;
  // What Stirling's formula leaves, times x, so that the sum is within 4.2e-16.
  const double rest = polynomial(
      inverse * inverse, 0.08333333333333211, -0.0027777777758655887, 0.0007936503037470383,
      -0.0005951892876127222, 0.0008392664882921607, -0.0018438447691601638, 0.0050332102437294635,
      -0.012206233332590957, 0.016376180202326212);
  constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
  const double outer = ((x - 0.5) * logarithm - x) + (kHalfLogOfTwoPi + inverse * rest);
  return x < 3 ? inner : outer;
}

// |gamma(-x) gamma(x)| = pi / (x |sin(pi x)|)
ACLHOST_INLINE float lgamma(float x) {
  const double size = magnitude_of(static_cast<double>(x));
  const double bounded = size > 0x1p24 ? 0x1p24 : size;  // which is whole, as all that follow
  const double turn = bounded - Nearest(bounded).whole, square = turn * turn;
  // sin(pi turn) / turn to within 1.4e-16 of itself.
  const double sine = magnitude_of(turn) *
                      polynomial(square, 3.1415926535897927, -5.167712780049753, 2.5501640398597774,
                                 -0.5992645287757311, 0.08214587825674992, -0.0073703610725955075,
                                 0.00046597761905565555, -2.1122954687484393e-05);
  const double positive = lgamma_positive(size);
  const double mirrored = -log_precise(size * sine * (1 / kPi)) - positive;
  double result = x < 0 ? mirrored : positive;
  const double at_whole = x > 0 ? result : kInfinity<double>;
  result = sine == 0 ? at_whole : result;
  result = size < kInfinity<double> ? result : size;  // NaN, too
  return static_cast<float>(result);
}

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
