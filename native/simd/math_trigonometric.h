// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions and their inverses: Note [Mathematical functions].
#pragma once

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// Note [Large angles]
// Angles are measured in quarter turns: x is multiplied by 2/pi in three parts, the first two of 29
// bits: their products with the 24 bits of a float are exact, and multiples of 4, full turns, are
// taken off them. That is right up to 2^52. A larger x is an even multiple of 2^28: with 2^-28 x in
// place of x the factor becomes 2^28 * 2/pi, of which multiples of 4 do not count either, and so
// on: four sets of parts serve all floats. What is lost is 2^-57 at most, and no float is as near
// to a multiple of pi/2 as 2^-32.
struct QuarterTurns {
  ACLHOST_INLINE explicit QuarterTurns(float angle) {
    const double x = angle, size = magnitude_of(x);
    Parts parts;
    const auto beyond = [&](double bound, const Parts& others) {
      parts.first = size >= bound ? others.first : parts.first;
      parts.second = size >= bound ? others.second : parts.second;
      parts.third = size >= bound ? others.third : parts.third;
      parts.scale = size >= bound ? others.scale : parts.scale;
    };
    beyond(0x1p52, {-0x1.1b1bbeap0, -0x1.ac07b16p-29, 0x1.f47d4d377036ep-58, 0x1p-28});
    beyond(0x1p80, {0x1.29fc276p0, -0x1.05c1596p-29, -0x1.11f924eb53362p-59, 0x1p-56});
    beyond(0x1p108, {0x1.7d1f534p0, 0x1.bb81b6cp-29, 0x1.4acc9e21c8210p-59, 0x1p-84});
    set(x * parts.scale, parts);
  }
  // Of |x| < 2^53.
  static ACLHOST_INLINE double without_fours(double x) {
    constexpr double kRounder = 0x1.8p54;
    return x - ((x + kRounder) - kRounder);
  }
  // Three parts whose sum is the angle, the first two exact.
  double high;
  double middle;
  double low;

 private:
  struct Parts {
    double first = 0x1.45f306cp-1, second = 0x1.c9c882ap-29, third = 0x1.4fe13abe8fa9ap-59;
    double scale = 1;
  };
  ACLHOST_INLINE void set(double x, const Parts& parts) {
    high = without_fours(x * parts.first);
    middle = without_fours(x * parts.second);
    low = x * parts.third;
  }
};

// Whether an angle has few enough turns for two parts of 2/pi.
ACLHOST_INLINE bool is_near(float angle) { return magnitude_of(angle) < 0x1p18f; }

// An angle as a number of steps of 1 or 2 quarter turns, and a rest of half a step or hardly more.
struct Turned {
  ACLHOST_INLINE Turned(const QuarterTurns& angle, double step) {
    const double rounder = step * 0x1.8p52;
    shifted = (angle.high + (angle.middle + angle.low)) + rounder;
    rest = ((angle.high - (shifted - rounder)) + angle.middle) + angle.low;
  }
  // Of a near angle and `ahead` quarter turns more. The product with the first part of 2/pi is
  // exact, and so is what remains of it; the second part's is 0.001 at most.
  ACLHOST_INLINE Turned(float angle, double step, double ahead) {
    const double rounder = step * 0x1.8p52, x = angle, high = x * 0x1.45f306cp-1;
    shifted = (high + ahead) + rounder;
    rest = (high - ((shifted - rounder) - ahead)) + x * 0x1.c9c882a53f84fp-29;
  }
  // Of all angles, the same bits where the angle is near.
  static ACLHOST_INLINE Turned of_any(float angle, double step, double ahead) {
    QuarterTurns turns(angle);
    turns.high += ahead;
    const Turned far(turns, step);
    Turned result(angle, step, ahead);
    const bool near = is_near(angle);
    result.shifted = near ? result.shifted : far.shifted;
    result.rest = near ? result.rest : far.rest;
    return result;
  }
  ACLHOST_INLINE uint64_t number() const { return bits_of(shifted); }  // modulo 2^51

  double shifted;
  double rest;
};

// The sine of rest quarter turns, |rest| <= 1.001, to within 2.5e-11 of itself.
ACLHOST_INLINE double sine_of(double rest) {
  return rest * polynomial(rest * rest, 1.570796326761685, -0.6459640952646826, 0.07969260126096718,
                           -0.0046816510188415275, 0.00016024703138069597, -3.4287916518979544e-06);
}
// The cosine, |rest| <= 1/2, to within 6.6e-14 of itself.
ACLHOST_INLINE double cosine_of(double rest) {
  return polynomial(rest * rest, 0.9999999999999342, -1.2337005501181522, 0.25366950709016756,
                    -0.02086346729561535, 0.0009191585217201374, -2.484583495593684e-05);
}

ACLHOST_INLINE float sin_of(const Turned& half_turns) {
  return static_cast<float>(negative_if_odd(half_turns.number(), sine_of(half_turns.rest)));
}
// After an odd number of quarter turns it is -1 / tan rest.
ACLHOST_INLINE float tan_of(const Turned& turned) {
  const double square = turned.rest * turned.rest;
  // The tangent of |rest| <= 0.501 to within 2.3e-11 of itself.
  const double above = turned.rest * polynomial(square, 1.570796326830324, -0.4316168897021495,
                                                0.010282496765197824);
  const double below = polynomial(square, 1.0, -1.0972428753272183, 0.09724958513865205);
  const uint64_t swapped = (bits_of(above) ^ bits_of(below)) & (0 - (turned.number() & 1));
  const double quotient = from_bits(bits_of(above) ^ swapped) / from_bits(bits_of(below) ^ swapped);
  return static_cast<float>(negative_if_odd(turned.number(), quotient));
}
// cos x = sin(x + pi/2)
ACLHOST_INLINE float sin(float x) { return sin_of(Turned::of_any(x, 2, 0)); }
ACLHOST_INLINE float cos(float x) { return sin_of(Turned::of_any(x, 2, 1)); }
ACLHOST_INLINE float tan(float x) { return tan_of(Turned::of_any(x, 1, 0)); }
// The same where is_near: Note [Near operands] in engines/loops.h.
ACLHOST_INLINE float sin_near(float x) { return sin_of(Turned(x, 2, 0)); }
ACLHOST_INLINE float cos_near(float x) { return sin_of(Turned(x, 2, 1)); }
ACLHOST_INLINE float tan_near(float x) { return tan_of(Turned(x, 1, 0)); }

// sin(pi x) / (pi x); +0 where x is whole.
ACLHOST_INLINE float sinc(float x) {
  const double size = magnitude_of(static_cast<double>(x));
  const double bounded = size > 0x1p24 ? 0x1p24 : size;  // which is whole, as all that follow
  const Nearest n(bounded);
  const double sine = negative_if_odd(n.bits, sine_of(2 * (bounded - n.whole))) + 0.0;
  return x == 0 ? 1.0f : static_cast<float>(sine / (kPi * bounded));
}

// asin x to within 9.2e-13 of itself, |x| <= 1/2.
ACLHOST_INLINE double asin_near_zero(double x) {
  return x * polynomial(x * x, 1.0000000000009146, 0.16666666608636604, 0.07500006048745173,
                        0.044640438191052054, 0.030430116905489753, 0.021838621681898273,
                        0.02076255511935777, 0.0017150420845291408, 0.0331587085735064);
}
// Beyond 1/2: acos x = 2 asin(sqrt((1 - x) / 2)).
ACLHOST_INLINE float asin(float x) {
  const double size = magnitude_of(static_cast<double>(x));
  const bool outer = size > 0.5;
  const double angle = asin_near_zero(outer ? __builtin_sqrt((1 - size) * 0.5) : size);
  const float result = static_cast<float>(outer ? kHalfPi - 2 * angle : angle);
  return with_sign_of(magnitude_of(result), x);
}
ACLHOST_INLINE float acos(float x) {
  const double wide = x, size = magnitude_of(wide);
  const bool outer = size > 0.5;
  const double angle = asin_near_zero(outer ? __builtin_sqrt((1 - size) * 0.5) : wide);
  const double mirrored = wide < 0 ? kPi - 2 * angle : 2 * angle;
  return static_cast<float>(outer ? mirrored : kHalfPi - angle);
}

// atan x to within 9.4e-12 of itself, |x| <= 1.
ACLHOST_INLINE double atan_near_zero(double x) {
  return x * polynomial(x * x, 0.9999999999906567, -0.33333333005373783, 0.19999980839536985,
                        -0.1428527147012432, 0.11105742017964611, -0.09051621890625529,
                        0.07503967618183265, -0.06042645939188249, 0.04396741362256848,
                        -0.026338763786561394, 0.011646697241854489, -0.00327832763732221,
                        0.00043296226986077566);
}
ACLHOST_INLINE float atan(float x) {
  const double size = magnitude_of(static_cast<double>(x));
  const bool outer = size > 1;
  const double angle = atan_near_zero(outer ? 1 / size : size);
  const float result = static_cast<float>(outer ? kHalfPi - angle : angle);
  return with_sign_of(magnitude_of(result), x);
}
ACLHOST_INLINE float atan2(float y, float x) {
  const double height = magnitude_of(static_cast<double>(y));
  const double width = magnitude_of(static_cast<double>(x));
  const bool steep = height > width;
  const double less = steep ? width : height, more = steep ? height : width;
  double ratio = less / more;
  ratio = more == 0 ? 0.0 : ratio;
  ratio = less == kInfinity<double> ? 1.0 : ratio;
  double angle = atan_near_zero(ratio);
  angle = steep ? kHalfPi - angle : angle;
  angle = with_sign_of(1.0, static_cast<double>(x)) < 0 ? kPi - angle : angle;
  const double sum = height + width;
  angle = sum == sum ? angle : sum;
  return with_sign_of(magnitude_of(static_cast<float>(angle)), y);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
