// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions of double and their inverses: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

constexpr double kPiLow = 0x1.1a62633145c07p-53;  // what kPi lacks
constexpr double kHalfPiLow = kPiLow / 2;

// sin x / x - 1, so that the sine is within 3.7e-18 of itself, |x| <= pi / 4.
ACLHOST_INLINE double sine_factor_less_one(double square) {
  return square * polynomial(square, -0.1666666666666663, 0.008333333333321882,
                             -0.00019841269829361, 2.7557313530354236e-06, -2.505073188418644e-08,
                             1.5895225608379328e-10);
}
// sin(x + low) and cos(x + low) in two parts each.
struct SineAndCosine {
  ACLHOST_INLINE SineAndCosine(double x, double low) {
    const double square = x * x, half = 0.5 * square;
    sine_low = x * sine_factor_less_one(square) + (low - low * half);
    sine = x;
    cosine = 1 - half;
    // Within 5.1e-20.
    cosine_low =
        ((1 - cosine) - half) +
        (square * square *
             polynomial(square, 0.041666666666666595, -0.001388888888887339, 2.480158728900223e-05,
                        -2.755731420806286e-07, 2.08757029631763e-09, -1.135856278297991e-11) -
         x * low);
  }
  double sine, sine_low;
  double cosine, cosine_low;
};

// One of two numbers, by the last bit of a whole one.
ACLHOST_INLINE double choose_if_odd(uint64_t number, double odd, double even) {
  return from_bits(bits_of(even) ^ ((bits_of(odd) ^ bits_of(even)) & (0 - (number & 1))));
}

// Note [Moderate angles]
// x = number pi / 2 + rest + low. pi / 2 is taken in three parts, of which two have 40 bits, so
// that their products with a number of 13 bits are exact, and so are the differences wherever they
// are small; the third is off by 2^-136. Larger angles are the C library's: what is exact for
// all of them takes longer. Loops vectorise: Note [Near operands] in engines/loops.h.
constexpr double kMostModerate = 12800;
ACLHOST_INLINE bool is_near(double x) {
  return !(magnitude_of(x) > kMostModerate) || magnitude_of(x) == kInfinity<double>;
}
struct QuarterTurned {
  ACLHOST_INLINE explicit QuarterTurned(double x) {
    const Nearest n(x * (2 / kPi));
    const double first = x - n.whole * 0x1.921fb54442p+0, second = n.whole * 0x1.a308d3131ap-41;
    const double high = first - second;
    const double less = ((first - high) - second) - n.whole * -0x1.d747f23e32ed7p-83;
    number = n.bits;
    rest = high + less;
    low = (high - rest) + less;
  }
  uint64_t number;
  double rest;
  double low;
};

ACLHOST_INLINE double sin_near(double x) {
  const QuarterTurned turned(x);
  const SineAndCosine of(turned.rest, turned.low);
  const double result =
      choose_if_odd(turned.number, of.cosine + of.cosine_low, of.sine + of.sine_low);
  return x == 0 ? x : negative_if_odd(turned.number >> 1, result);
}
ACLHOST_INLINE double cos_near(double x) {
  const QuarterTurned turned(x);
  const SineAndCosine of(turned.rest, turned.low);
  const double result =
      choose_if_odd(turned.number, of.sine + of.sine_low, of.cosine + of.cosine_low);
  return negative_if_odd((turned.number + 1) >> 1, result);
}
// After an odd number of quarter turns it is -cosine / sine.
ACLHOST_INLINE double tan_near(double x) {
  const QuarterTurned turned(x);
  const SineAndCosine of(turned.rest, turned.low);
  const double sine = of.sine + of.sine_low, sine_low = (of.sine - sine) + of.sine_low;
  const double cosine = of.cosine + of.cosine_low;
  const double cosine_low = (of.cosine - cosine) + of.cosine_low;
  const double above = choose_if_odd(turned.number, cosine, sine);
  const double below = choose_if_odd(turned.number, sine, cosine);
  const double above_low = choose_if_odd(turned.number, cosine_low, sine_low);
  const double below_low = choose_if_odd(turned.number, sine_low, cosine_low);
  const double quotient = above / below;
  const double result = quotient + (above_low - quotient * below_low) / below;
  return x == 0 ? x : negative_if_odd(turned.number, result);
}

inline double sin(double x) { return is_near(x) ? sin_near(x) : std::sin(x); }
inline double cos(double x) { return is_near(x) ? cos_near(x) : std::cos(x); }
inline double tan(double x) { return is_near(x) ? tan_near(x) : std::tan(x); }

// sin(pi x) / (pi x); +0 where x is whole. The rest of x is exact, also next to a root.
ACLHOST_INLINE double sinc(double x) {
  const double size = magnitude_of(x);
  const double bounded = size > 0x1p52 ? 0x1p52 : size;  // which is whole, as all that follow
  const double shifted = bounded + 0x1p52, rest = bounded - (shifted - 0x1p52);
  const double part = magnitude_of(rest), other = 0.5 - part;
  const double square = part * part, other_square = other * other;
  // sin(pi part) / pi - part within 3.5e-18 of the sine, and cos(pi other) / pi - 1 / pi.
  const double steep =
      part * square *
      polynomial(square, -1.644934066848223, 0.8117424252822837, -0.19075182401134808,
                 0.026147842548584255, -0.0023459542571539296, 0.00014692720320942413);
  const double flat =
      other_square * polynomial(other_square, -1.5707963267948966, 1.291928195012487,
                                -0.42502733997878794, 0.07490806611474722, -0.008214586899312202,
                                0.000614168694113406, -3.2969356263059705e-05) -
      1.9678676675182486e-17;
  const double first = part < 0.25 ? part : 1 / kPi, second = part < 0.25 ? steep : flat;
  const double sine = first + second, sine_low = (first - sine) + second;
  const double size_of_result = sine / bounded + sine_low / bounded;
  const double result = negative_if_odd(bits_of(shifted), size_of_result);
  return x == 0 ? 1.0 : (rest < 0 ? -result : result) + 0.0;
}

// asin x = x + asin_less_x, |x| <= 1/2, within 1.6e-17.
ACLHOST_INLINE double asin_less_x(double x, double square) {
  return x * square *
         polynomial(square, 0.16666666666665378, 0.07500000000344215, 0.04464285682247029,
                    0.030381959374794744, 0.022371752430755273, 0.017359788398821976,
                    0.013884418946249907, 0.012174518318823517, 0.006505226777359903,
                    0.0195900438397718, -0.016320551601392702, 0.03197789402095612);
}
// Beyond 1/2: acos x = 2 asin(sqrt((1 - x) / 2)).
ACLHOST_INLINE double asin(double x) {
  const double size = magnitude_of(x), half_rest = (1 - size) * 0.5;
  const bool outer = size > 0.5;
  const double root = outer ? __builtin_sqrt(half_rest) : size;
  const double more = asin_less_x(root, outer ? half_rest : size * size);
  const double result = outer ? kHalfPi - (2 * root + (2 * more - kHalfPiLow)) : root + more;
  return with_sign_of(magnitude_of(result), x);
}
ACLHOST_INLINE double acos(double x) {
  const double size = magnitude_of(x), half_rest = (1 - size) * 0.5;
  const bool outer = size > 0.5;
  const double root = outer ? __builtin_sqrt(half_rest) : x;
  const double more = asin_less_x(root, outer ? half_rest : size * size);
  const double mirrored = kPi - (2 * root + (2 * more - kPiLow)), twice = 2 * (root + more);
  return outer ? (x < 0 ? mirrored : twice) : kHalfPi - (root + (more - kHalfPiLow));
}

// The angle of the point (more, less), 0 <= less <= more, seen from elsewhere: base + base_low +
// sign * angle. The nearest of three directions is turned away first, which leaves a tangent of at
// most 7/16.
ACLHOST_INLINE double angle_from(double less, double more, double base, double base_low,
                                 double sign) {
  const bool is_half = less >= 0.4375 * more, is_one = less >= 0.6875 * more;
  double direction = is_half ? 0.5 : 0.0;
  direction = is_one ? 1.0 : direction;
  double angle = is_half ? 0x1.dac670561bb4fp-2 : 0.0;
  angle = is_one ? kPi / 4 : angle;
  double angle_low = is_half ? 0x1.a2b7f222f65e2p-56 : 0.0;
  angle_low = is_one ? kPiLow / 4 : angle_low;
  const double tangent = (less - direction * more) / (more + direction * less);
  const double square = tangent * tangent;
  // atan t - t within 4.9e-18 of atan t.
  const double arc_less =
      tangent * square *
      polynomial(square, -0.3333333333333289, 0.19999999999863674, -0.1428571427129308,
                 0.11111110348981659, -0.09090885624612477, 0.0769185137256022,
                 -0.06660812887615002, 0.05831829576656225, -0.049696885538796344,
                 0.036364514102043416, -0.016118840643201238);
  const double turned = base + sign * angle;
  const double turned_low = ((base - turned) + sign * angle) + (base_low + sign * angle_low);
  return turned + (sign * tangent + (sign * arc_less + turned_low));
}
ACLHOST_INLINE double atan(double x) {
  const double size = magnitude_of(x), bounded = size > 0x1p60 ? 0x1p60 : size;
  const bool steep = bounded > 1;
  const double angle = angle_from(steep ? 1 : bounded, steep ? bounded : 1, steep ? kHalfPi : 0.0,
                                  steep ? kHalfPiLow : 0.0, steep ? -1.0 : 1.0);
  return with_sign_of(magnitude_of(angle), x);
}
ACLHOST_INLINE double atan2(double y, double x) {
  const double height = magnitude_of(y), width = magnitude_of(x), sum = height + width;
  const bool steep = height > width, mirrored = with_sign_of(1.0, x) < 0;
  double less = steep ? width : height, more = steep ? height : width;
  const double both_infinite = less == kInfinity<double> ? 1.0 : 0.0;
  less = more == kInfinity<double> ? both_infinite : less;
  more = more == kInfinity<double> ? 1.0 : more;
  more = more == 0 ? 1.0 : more;
  double scale = more < 0x1p-900 ? 0x1p100 : 1.0;
  scale = more > 0x1p1000 ? 0x1p-100 : scale;
  double base = mirrored ? kPi : 0.0, base_low = mirrored ? kPiLow : 0.0;
  base = steep ? kHalfPi : base;
  base_low = steep ? kHalfPiLow : base_low;
  const double sign = (mirrored ? -1.0 : 1.0) * (steep ? -1.0 : 1.0);
  const double angle = angle_from(less * scale, more * scale, base, base_low, sign);
  return with_sign_of(magnitude_of(sum == sum ? angle : sum), y);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
