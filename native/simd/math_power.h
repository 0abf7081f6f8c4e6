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

// Selects follow one another and compare doubles only: others do not vectorise everywhere.
ACLHOST_INLINE float pow(float x, float y) {
  const double wide_x = x, size = magnitude_of(wide_x);
  const double wide_y = clamp<double>(y, -0x1p200, 0x1p200);  // finite: 1 to the infinite is 1
  double log_size = log2_precise(size);
  log_size = size == 0 ? -kInfinity<double> : log_size;
  log_size = size < kInfinity<double> ? log_size : size;  // NaN, too
  const double bounded = clamp(wide_y * log_size, -160.0, 140.0);
  const double power = Exponential::of_base_two(bounded).value();

  const double bounded_y = clamp(wide_y, -0x1p24, 0x1p24),
               half_y = bounded_y * 0.5;  // 2^24 is even
  double sign_source = Nearest(half_y).whole == half_y ? 1.0 : wide_x;
  sign_source = Nearest(bounded_y).whole == bounded_y ? sign_source : 1.0;
  const double signed_power = from_bits(bits_of(power) | (bits_of(sign_source) & kSignBit<double>));
  double of_fraction = wide_x < 0 ? kNan<double> : signed_power;
  of_fraction = wide_x == -kInfinity<double> ? signed_power : of_fraction;
  double result = Nearest(bounded_y).whole == bounded_y ? signed_power : of_fraction;
  result = wide_x == 1 ? 1.0 : result;
  result = wide_y == 0 ? 1.0 : result;
  return static_cast<float>(result);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
