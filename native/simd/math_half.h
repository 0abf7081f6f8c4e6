// SPDX-License-Identifier: Apache-2.0
// Functions for results that are rounded to 16 bits, in float where others need double, and with
// shorter polynomials. What they lose against Note [Mathematical functions] is less than a
// twentieth of a unit in the last of 11 bits.
#pragma once

#include "simd/math_single.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// Whether an angle has few enough turns for the functions below; all of FLOAT16 have.
ACLHOST_INLINE bool half_is_near(float angle) { return magnitude_of(angle) < 0x1p20f; }

// An angle of x in quarter turns.
ACLHOST_INLINE double quarter_turns(float x) {
  return static_cast<double>(x) * 0.63661977236758134308;
}
// The sine. A multiple of 2 is taken off; an odd number of half turns changes the sign.
ACLHOST_INLINE float half_sine(double angle) {
  constexpr double kRounder = 0x1.8p53;
  const double shifted = angle + kRounder, rest = angle - (shifted - kRounder);
  const auto r = static_cast<float>(from_bits(bits_of(rest) ^ (bits_of(shifted) << 63)));
  // To within 6e-9 of itself.
  return r * polynomial(r * r, 1.5707964f, -0.6459637f, 0.07968968f, -0.004673765f, 0.00015148416f);
}
ACLHOST_INLINE float half_sin_near(float x) { return half_sine(quarter_turns(x)); }
ACLHOST_INLINE float half_cos_near(float x) { return half_sine(quarter_turns(x) + 1); }

// asin x to within 9e-8 of itself, |x| <= 1/2.
ACLHOST_INLINE float half_asin_near_zero(float x) {
  const float square = x * x;
  return x + x * square * polynomial(square, 0.1666558f, 0.0754053f, 0.04003505f, 0.049952984f);
}
ACLHOST_INLINE float half_asin(float x) {
  const float size = magnitude_of(x);
  const bool outer = size > 0.5f;
  const float angle = half_asin_near_zero(outer ? __builtin_sqrtf((1 - size) * 0.5f) : size);
  return with_sign_of(magnitude_of(outer ? static_cast<float>(kHalfPi) - 2 * angle : angle), x);
}
ACLHOST_INLINE float half_acos(float x) {
  const float size = magnitude_of(x);
  const bool outer = size > 0.5f;
  const float angle = half_asin_near_zero(outer ? __builtin_sqrtf((1 - size) * 0.5f) : x);
  const float mirrored = x < 0 ? static_cast<float>(kPi) - 2 * angle : 2 * angle;
  return outer ? mirrored : static_cast<float>(kHalfPi) - angle;
}

// atan x to within 8e-7 of itself.
ACLHOST_INLINE float half_atan(float x) {
  const float size = magnitude_of(x);
  const bool outer = size > 1;
  const float inner = outer ? 1 / size : size, square = inner * inner;
  const float angle = inner + inner * square *
                                  polynomial(square, -0.3332849f, 0.19897872f, -0.1354457f,
                                             0.084840916f, -0.037796605f, 0.008106328f);
  return with_sign_of(magnitude_of(outer ? static_cast<float>(kHalfPi) - angle : angle), x);
}

ACLHOST_INLINE float half_log2(float x) { return log(x) * static_cast<float>(kLog2E); }
ACLHOST_INLINE float half_log10(float x) { return log(x) * static_cast<float>(kLog10E); }

// To within 1.6e-6 of itself; from 3 on the result is rounded to 1.
ACLHOST_INLINE float half_erf(float x) {
  const float bounded = clamp(x, -3.0f, 3.0f), square = bounded * bounded;
  const float above = polynomial(square, 1.1283809f, 0.15397279f, 0.0432546f, 0.00075259747f);
  return bounded * above / polynomial(square, 1.0f, 0.46982595f, 0.09479453f, 0.009318083f);
}

// As normal_cdf(), to within 2e-5 of itself.
ACLHOST_INLINE float half_normal_cdf(float x) {
  const float whole_size = magnitude_of(x), size = whole_size > 14.5f ? 14.5f : whole_size;
  constexpr float kRounder = 0x1.8p23f;
  const float half_square = 0.5f * size * size;
  const float shifted = half_square * -1.44269504f + kRounder, n = shifted - kRounder;
  const float r = (-half_square - n * 0.693359375f) - n * -2.12194440e-4f;
  const float less_one = r + r * r * polynomial(r, 0.5000512f, 0.16753528f, 0.041277677f);
  const float power = from_bits((bits_of(shifted) + (127 + 64)) << 23);  // times 2^64
  const float t = 1 / (size + 3.25f);
  const float scaled = t * polynomial(t - 0.18185736f, 0.8452525f, 4.2086554f, 13.448408f,
                                      21.55622f, -11.779481f, -88.54632f);
  const float tail = (scaled + scaled * less_one) * power * 0x1p-64f;
  return x < 0 ? tail : 1 - tail;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
