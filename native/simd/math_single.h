// SPDX-License-Identifier: Apache-2.0
// The functions whose speed matters most, computed in float: Note [Mathematical functions].
#pragma once

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// e^x = 2^n (1 + less_one) with n + 254 in the last bits of biased, of |x| < 128.
struct SingleExponential {
  ACLHOST_INLINE explicit SingleExponential(float x) {
    constexpr float kRounder = 0x1.8p23f + 254;  // adding it rounds to a whole number
    const float shifted = x * 1.44269504f + kRounder, n = shifted - kRounder;
    biased = bits_of(shifted);
    // The first part of ln 2 has 9 bits: its product is exact.
    const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    // (e^r - 1 - r) / r^2, so that e^r is within 3.2e-9 of itself.
    less_one =
        r * r * polynomial(r, 0.49999994f, 0.16666521f, 0.041668344f, 0.008368664f, 0.0013816757f) +
        r;
  }
  // 2^n where that is a normal number.
  ACLHOST_INLINE float power() const { return from_bits((biased - 127) << 23); }

  uint32_t biased;
  float less_one;
};

// 2^n = first * second, where 2^n may not be a normal number.
struct TwoPowers {
  ACLHOST_INLINE explicit TwoPowers(uint32_t biased) {
    const uint32_t half = biased >> 1;
    first = from_bits((biased - half) << 23);
    second = from_bits(half << 23);
    inverse_second = from_bits((254 - half) << 23);
  }
  float first;
  float second;
  float inverse_second;
};

ACLHOST_INLINE float exp(float x) {
  const SingleExponential e(clamp(x, -104.0f, 89.0f));
  const TwoPowers power(e.biased);
  return (1 + e.less_one) * power.first * power.second;
}

// 2^x = 2^n 2^r, where r is exact.
ACLHOST_INLINE float exp2(float x) {
  constexpr float kRounder = 0x1.8p23f + 254;
  const float bounded = clamp(x, -151.0f, 128.0f), shifted = bounded + kRounder;
  const float r = bounded - (shifted - kRounder);
  // (2^r - 1) / r, so that 2^r is within 2e-9 of itself.
  const float quotient = polynomial(r, 0.6931472f, 0.24022648f, 0.055503324f, 0.009618437f,
                                    0.0013398877f, 0.00015353338f);
  const TwoPowers power(bits_of(shifted));
  return (1 + r * quotient) * power.first * power.second;
}

// 1 / (1 + e^-x), above and below the line divided by 2^64, lest they overflow.
ACLHOST_INLINE float sigmoid(float x) {
  const SingleExponential e(clamp(-x, -30.0f, 105.0f));
  const float one = 0x1p-64f, power = from_bits((e.biased - (127 + 64)) << 23);
  // What the first sum loses comes back, unless the power is too small to count.
  const float sum = one + power, lost = one - (sum - power);
  return one / (sum + (lost + power * e.less_one));
}

ACLHOST_INLINE float tanh(float x) {
  const float size = magnitude_of(x), square = size * size;
  // tanh x to within 4.8e-9 of itself, |x| < 0.63.
  const float inner = size + size * square *
                                 polynomial(square, -0.3333328f, 0.13331354f, -0.05373094f,
                                            0.020606697f, -0.0056653223f);
  const SingleExponential e(2 * (size > 10 ? 10 : size));
  const float power = e.power(), outer = 1 - 2 / ((power + 1) + power * e.less_one);
  return with_sign_of(size < 0.625f ? inner : outer, x);
}

ACLHOST_INLINE float erf(float x) {
  const float size = magnitude_of(x), square = size * size;
  // erf x to within 4.6e-10 of itself, |x| < 0.93.
  const float inner =
      size + size * polynomial(square, 0.12837917f, -0.37612632f, 0.112836875f, -0.02685894f,
                               0.0051999064f, -0.000813001f, 8.316768e-05f);
  // log erfc x, so that erf is within 4.7e-11 of itself, 0.92 < x < 3.95.
  const float bounded = size > 3.95f ? 3.95f : size;
  const SingleExponential e(polynomial(bounded, 0.00017471518f, -1.129515f, -0.63334656f,
                                       -0.10828052f, 0.025119724f, -0.0041711843f, 0.00043448937f,
                                       -2.109752e-05f));
  const float power = e.power(), outer = 1 - (power + power * e.less_one);
  return with_sign_of(size < 0.925f ? inner : outer, x);
}

// log(1 + e^x) = max(x, 0) + log(1 + p) with p = e^-|x|. With s = p / (2 + p) that logarithm is
// 2 atanh s, and 2 s = p - s p, where p = 2^n + 2^n less_one is not rounded.
ACLHOST_INLINE float log1p_exp(float x) {
  const float least = -magnitude_of(x);
  const SingleExponential e(least < -104 ? -104 : least);
  const TwoPowers powers(e.biased);
  const float power = powers.first * powers.second, tail = power * e.less_one;
  const float p = power + tail, s = p / (2 + p), square = s * s;
  // (2 atanh s - 2 s) / s, so that 2 atanh s is within 4.6e-9 of itself.
  const float rest = square * polynomial(square, 0.6666642f, 0.40021577f, 0.28000835f, 0.28017122f);
  return power + (tail + ((x > 0 ? x : 0) - s * (p - rest)));
}

// n ln 2 + log(1 + f) with |f| <= 1/3, the latter as f - f^2 / 2 + f^3 polynomial.
ACLHOST_INLINE float log_of_parts(float n, float f) {
  const float square = f * f;
  // So that the logarithm is within 8.8e-10 of itself.
  const float cube_part =
      f * square *
      polynomial(f, 0.33333334f, -0.24999824f, 0.19999602f, -0.16679388f, 0.14304315f, -0.12198272f,
                 0.10755787f, -0.12834655f, 0.1200137f);
  const float rest = f + ((cube_part + n * -2.12194440e-4f) - 0.5f * square);
  return rest + n * 0.693359375f;
}

// As the exponent's bits: n of x = 2^n (1 + f).
ACLHOST_INLINE uint32_t log_exponent(uint32_t bits) {
  return (bits - 0x3F2AAAABu) & 0xFF800000u;  // of x / (2/3)
}

ACLHOST_INLINE float log(float x) {
  const bool subnormal = x < 0x1p-126f;
  const uint32_t bits = bits_of(subnormal ? x * 0x1p24f : x), exponent = log_exponent(bits);
  const float n =
      static_cast<float>(static_cast<int32_t>(exponent) >> 23) - (subnormal ? 24.0f : 0.0f);
  return log_special(x, log_of_parts(n, from_bits(bits - exponent) - 1));
}

// f gets back what the sum 1 + x lost. Large sums lose nothing that counts, and 2^-n is no float.
ACLHOST_INLINE float log1p(float x) {
  const float sum = 1 + x;
  const uint32_t bits = bits_of(sum), exponent = log_exponent(bits);
  const float n = static_cast<float>(static_cast<int32_t>(exponent) >> 23);
  const float lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
  const float correction = sum < 0x1p30f ? lost * from_bits(0x3F800000u - exponent) : 0;
  const float f = (from_bits(bits - exponent) - 1) + correction;
  const float special = log_special(sum, log_of_parts(n, f));
  return x == 0 ? x : special;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
