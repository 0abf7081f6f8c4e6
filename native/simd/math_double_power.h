// SPDX-License-Identifier: Apache-2.0
// Powers of double: Note [Mathematical functions].
#pragma once

#include "simd/math_double.h"
#include "simd/math_rounding.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// The first 21 bits of x: products of two such numbers are exact.
ACLHOST_INLINE double upper_bits_of(double x) { return from_bits(bits_of(x) & 0xFFFFFFFF00000000); }

// log2 x of positive x as high + low, to within 2^-67 of itself; high has 21 bits.
struct PreciseLog2 {
  ACLHOST_INLINE explicit PreciseLog2(double x) {
    const WideSplit split(x);
    // s = f / (2 + f) = s_high + s_low
    const double f = split.fraction, sum = 2 + f, inverse = 1 / sum;
    const double s = f * inverse, s_high = upper_bits_of(s);
    const double sum_high = upper_bits_of(sum), sum_low = f - (sum_high - 2);
    const double s_low = ((f - s_high * sum_high) - s_high * sum_low) * inverse;
    // 3 atanh(s) = s (3 + s^2 + rest) = first + second, rest to within 5.1e-21.
    const double square = s * s, square_high = s_high * s_high;
    const double rest =
        square * square *
            polynomial(square, 0.5999999999999958, 0.4285714285736933, 0.33333333286256767,
                       0.27272732345886436, 0.230766070604445, 0.20011800758107987,
                       0.1738726213756365, 0.18865070404005535) +
        s_low * (s_high + s);
    const double factor = upper_bits_of((3 + square_high) + rest);
    const double factor_low = rest - ((factor - 3) - square_high);
    const double product = s_high * factor, product_low = s_low * factor + factor_low * s;
    const double first = upper_bits_of(product + product_low);
    const double second = product_low - (first - product);
    // Times 2 / (3 ln 2), in two parts, and n.
    const double scaled = first * 0x1.ec709p-1;
    const double scaled_low = first * 0x1.b87407fae93f8p-22 + second * 0x1.ec709dc3a03fdp-1;
    high = upper_bits_of((scaled + scaled_low) + split.exponent);
    low = scaled_low - ((high - split.exponent) - scaled);
  }
  double high;
  double low;
};

// 2^(y log2 size), of finite y.
ACLHOST_INLINE double power_of_size(double size, double y) {
  const PreciseLog2 logarithm(size);
  const double y_high = upper_bits_of(y), product = y_high * logarithm.high;
  const double product_low = (y - y_high) * logarithm.high + y * logarithm.low;
  const double bounded = clamp(product + product_low, -1100.0, 1100.0);
  const Nearest n(bounded);
  // What is left, times ln 2 in two parts.
  const double left = product - n.whole, left_high = upper_bits_of(left + product_low);
  const double first = left_high * 0x1.62e42p-1;
  const double second =
      (product_low - (left_high - left)) * kLn2 + left_high * 0x1.fdf473de6af28p-22;
  const double r = first + second, low = second - (r - first);
  const bool inside = magnitude_of(bounded) < 1100;
  return WideExponential::of_parts(n.bits, inside ? r : bounded - bounded, inside ? low : 0)
      .value();
}

// One or the other without a condition: where x stands for all elements, no compiler vectorises a
// choice by what it moved out of the loop.
ACLHOST_INLINE double choose(bool condition, double yes, double no) {
  const uint64_t mask = condition ? ~uint64_t{0} : 0;
  return from_bits((bits_of(yes) & mask) | (bits_of(no) & ~mask));
}
ACLHOST_INLINE double pow(double x, double y) {
  const double size = magnitude_of(x), half_y = 0.5 * y;
  const bool is_whole = floor(y) == y, is_odd = floor(half_y) != half_y;
  const double odd_sign = is_odd ? with_sign_of(1.0, x) : 1.0, sign = is_whole ? odd_sign : 1.0;
  const double domain = is_whole ? 1.0 : x;

  const double finite_y = clamp(y, -0x1p70, 0x1p70);  // finite: 1 to the infinite is 1
  // Powers of 0 and of infinity would underflow, which takes long, for nothing.
  const bool ordinary = size > 0 && size < kInfinity<double>;
  const double power =
      domain < 0 ? kNan<double> : power_of_size(choose(ordinary, size, 1.0), finite_y);
  const double of_zero = y > 0 ? 0.0 : y, of_infinite = size == kInfinity<double> ? 0.0 : size;
  double result = choose(size == 0, y < 0 ? kInfinity<double> : of_zero, power);
  result = choose(size < kInfinity<double>, result, y < 0 ? of_infinite : size + y);
  result = choose(x == 1, 1.0, result * sign);
  return y == 0 ? 1.0 : result;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
