// SPDX-License-Identifier: Apache-2.0
// The normal distribution: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// What a standard normal distribution has below x. In float: within 6 ulp of itself, far below 0,
// too, where half an erfc of x / sqrt 2 loses digits by that quotient.
ACLHOST_INLINE float normal_cdf(float x) {
  const float size = clamp(magnitude_of(x), 0.0f, 14.5f);  // beyond, it is 0 or 1 as a float
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
  // e^(x x / 2) times the tail to within 2e-8 of itself, x > 0.84.
  const float t = 1 / (size + 3.1f);
  const float scaled = t * polynomial(t, 0.39890337f, 1.2395912f, 3.3452451f, 9.7210407f,
                                      -1.0014589f, 114.96051f, -392.84454f, 354.42004f);
  const float tail = (scaled + scaled * less_one) * power * 0x1p-64f;
  const float outer = x < 0 ? tail : 1 - tail;
  // To within 5e-8 of itself without the half, |x| < 0.86.
  const float inner = 0.5f + x * polynomial(x * x, 0.39894226f, -0.06649013f, 0.009970882f,
                                            -0.0011771348f, 9.9315694e-05f);
  const float result = size < 0.85f ? inner : outer;
  return x == x ? result : x;
}
inline double normal_cdf(double x) { return 0.5 * std::erfc(x * -0.70710678118654752440); }

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
