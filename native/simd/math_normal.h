// SPDX-License-Identifier: Apache-2.0
// The normal distribution: Note [Mathematical functions].
#pragma once

#include "simd/math_error.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// What a standard normal distribution has below x. In float: within 6.5 ulp of itself, far below 0,
// too, where half an erfc of x / sqrt 2 loses digits by that quotient.
ACLHOST_INLINE float normal_cdf(float x) {
  const float whole_size = magnitude_of(x);
  const float size = whole_size > 14.5f ? 14.5f : whole_size;  // beyond, it is 0 or 1 as a float
  // e^(-x x / 2), without what rounding x x / 2 would lose.
  const float half = 0.5f * size, half_square = half * size;
  const float lost = fused_multiply_add(half, size, -half_square);
  constexpr float kRounder = 0x1.8p23f;
  const float shifted = fused_multiply_add(half_square, -1.44269504f, kRounder);
  const float n = shifted - kRounder;
  const float r = fused_multiply_add(n, 2.12194440e-4f, -lost) -
                  fused_multiply_add(n, 0.693359375f, half_square);
  const float less_one = fused_multiply_add(
      r * r, polynomial(r, 0.49999994f, 0.16666521f, 0.041668344f, 0.008368664f, 0.0013816757f), r);
  constexpr float kDown = 0x1p-64f;  // power is a normal number 2^64 times as large
  const float power = from_bits((bits_of(shifted) + (127 + 64)) << 23);
  // e^(x x / 2) times the tail to within 5.2e-8 of itself.
  const float t = 1 / (size + 3.0f);
  const float scaled =
      t * polynomial(t - 0.1875f, 0.7964338f * kDown, 3.413773f * kDown, 8.87857f * kDown,
                     8.852369f * kDown, -18.787238f * kDown, -45.475135f * kDown, 81.42393f * kDown,
                     177.69206f * kDown, -441.70753f * kDown);
  const float tail = fused_multiply_add(scaled, less_one, scaled) * power;
  return x < 0 ? tail : 1 - tail;
}
ACLHOST_INLINE double normal_cdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
