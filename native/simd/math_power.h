// SPDX-License-Identifier: Apache-2.0
// Roots and powers: Note [Mathematical functions].
#pragma once

#include "simd/math_exponential.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

ACLHOST_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
ACLHOST_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
// Two roundings: within 1.5 ulp.
ACLHOST_INLINE float rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
ACLHOST_INLINE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }

// log2 x of normal positive x, to within 2^-50 of itself: pow multiplies it by up to 2^7.
ACLHOST_INLINE double log2_precise(double x) {
  const Split split(x);
  const double s = split.fraction / (2 + split.fraction);
  // log((1 + s) / (1 - s)) / s to within 1.4e-17 of itself, |s| <= 1/5.
  const double quotient =
      polynomial(s * s, 2.0, 0.6666666666667561, 0.3999999999533475, 0.28571429498018497,
                 0.2222213198993017, 0.1818657637161891, 0.15246401160686998, 0.15394195228234706);
  return split.exponent + s * quotient * kLog2E;
}

// Baseline can choose among doubles by doubles, not among their bits; hence products with a sign.
ACLHOST_INLINE float pow(float x, float y) {
  const double wide_x = x, size = magnitude_of(wide_x);
  const double wide_y = clamp<double>(y, -0x1p200, 0x1p200);  // finite: 1 to the infinite is 1
  double log_size = log2_precise(size);
  log_size = size == 0 ? -kInfinity<double> : log_size;
  log_size = size < kInfinity<double> ? log_size : size;  // NaN, too
  const double exponent = wide_y * log_size, exponent_size = magnitude_of(exponent);
  const double bounded = with_sign_of(exponent_size > 160 ? 160 : exponent_size, exponent);
  const double power = Exponential::of_base_two(bounded).value();

  const double bounded_y = clamp(wide_y, -0x1p24, 0x1p24);  // all beyond are even
  const double half_y = bounded_y * 0.5;
  double sign = Nearest(half_y).whole == half_y ? 1.0 : with_sign_of(1.0, wide_x);
  sign = Nearest(bounded_y).whole == bounded_y ? sign : 1.0;
  double domain = Nearest(bounded_y).whole == bounded_y ? 1.0 : wide_x;
  domain = domain == -kInfinity<double> ? 1.0 : domain;
  double result = domain < 0 ? kNan<double> : power * sign;
  result = wide_x == 1 ? 1.0 : result;
  result = wide_y == 0 ? 1.0 : result;
  return static_cast<float>(result);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
