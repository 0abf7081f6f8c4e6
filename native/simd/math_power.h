// SPDX-License-Identifier: Apache-2.0
// Roots and powers: Note [Mathematical functions].
#pragma once

#include "simd/math_double_power.h"
#include "simd/math_exponential.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

ACLHOST_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
ACLHOST_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
// Two roundings: within 1.5 ulp.
ACLHOST_INLINE float rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
ACLHOST_INLINE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }

// Baseline can choose among doubles by doubles, not among their bits; hence products with a sign.
ACLHOST_INLINE float pow(float x, float y) {
  const double wide_x = x, size = magnitude_of(wide_x);
  const double wide_y = clamp(y, -0x1p100f, 0x1p100f);      // finite: 1 to the infinite is 1
  const double bounded_y = clamp(wide_y, -0x1p24, 0x1p24);  // all beyond are even
  const Nearest nearest(bounded_y);
  const double odd_sign = from_bits(bits_of(1.0) | (bits_of(wide_x) & (nearest.bits << 63)));
  const double sign = nearest.whole == bounded_y ? odd_sign : 1.0;
  const double domain = nearest.whole == bounded_y ? 1.0 : wide_x;

  double log_size = domain < 0 ? kNan<double> : log2_normal(size);
  log_size = size == 0 ? -kInfinity<double> : log_size;
  log_size = size < kInfinity<double> ? log_size : size;  // NaN, too
  const double exponent = wide_y * log_size, exponent_size = magnitude_of(exponent);
  const double bounded = with_sign_of(exponent_size > 160 ? 160.0 : exponent_size, exponent);
  const double power = Exponential::of_base_two(bounded).value();
  double result = wide_x == 1 ? 1.0 : power * sign;
  result = wide_y == 0 ? 1.0 : result;
  return static_cast<float>(result);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
