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
  const float high = from_bits(bits_of(size) & 0xFFFFF000u);
  const float half_square = 0.5f * high * high, rest = (size - high) * (0.5f * (size + high));
  constexpr float kRounder = 0x1.8p23f;
  const float shifted = (half_square + rest) * -1.44269504f + kRounder, n = shifted - kRounder;
  const float r = ((-half_square - n * 0.693359375f) - n * -2.12194440e-4f) - rest;
  const float less_one =
      r +
      r * r * polynomial(r, 0.49999994f, 0.16666521f, 0.041668344f, 0.008368664f, 0.0013816757f);
  const float power = from_bits((bits_of(shifted) + (127 + 64)) << 23);  // times 2^64
  // e^(x x / 2) times the tail to within 5.2e-8 of itself.
  const float t = 1 / (size + 3.0f);
  const float scaled = t * polynomial(t - 0.1875f, 0.7964338f, 3.413773f, 8.87857f, 8.852369f,
                                      -18.787238f, -45.475135f, 81.42393f, 177.69206f, -441.70753f);
  const float tail = (scaled + scaled * less_one) * power * 0x1p-64f;
  return x < 0 ? tail : 1 - tail;
}
ACLHOST_INLINE double normal_cdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
