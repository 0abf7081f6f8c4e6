// SPDX-License-Identifier: Apache-2.0
// Powers of double: Note [Mathematical functions].
#pragma once

#include "simd/math_double.h"
#include "simd/math_rounding.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// The first bits of x: products of two such numbers are exact.
ACLHOST_INLINE double first_21_bits_of(double x) {
  return from_bits(bits_of(x) & 0xFFFFFFFF00000000);
}
ACLHOST_INLINE double first_20_bits_of(double x) {
  return from_bits(bits_of(x) & 0xFFFFFFFE00000000);
}

// log2 x of x >= 0 as high + low, to within 2^-60 of itself; high has 21 bits. That of 0 and of
// infinity is infinite.
struct PreciseLog2 {
  ACLHOST_INLINE explicit PreciseLog2(double x) {
    const WideSplit split((x > 0) & (x < kInfinity<double>) ? x : 1.0);
    // s = f / (2 + f) = s_high + s_low
    const double f = split.fraction, sum = 2 + f, inverse = 1 / sum;
    const double s = f * inverse, s_high = first_20_bits_of(s);
    const double sum_high = first_20_bits_of(sum), sum_low = f - (sum_high - 2);
    const double s_low = ((f - s_high * sum_high) - s_high * sum_low) * inverse;
    const double s_lost = s_low - (s - s_high);
    // 3 atanh(s) = s (3 + s^2 + rest) = product + product_low, rest to within 7e-20 of the first s,
    // and of what that lost as much as counts.
    const double square = s * s, square_high = s_high * s_high;
    const double rest =
        square * square *
            polynomial(square, 0.5999999999999958, 0.4285714285736933, 0.33333333286256767,
                       0.27272732345886436, 0.230766070604445, 0.20011800758107987,
                       0.1738726213756365, 0.18865070404005535) +
        (s_low * (s_high + s) + square * (s * (2.4 * s_lost)));
    const double factor = first_20_bits_of((3 + square_high) + rest);
    const double factor_low = rest - ((factor - 3) - square_high);
    const double product = s_high * factor, product_low = s_low * factor + factor_low * s;
    // Times 2 / (3 ln 2), of which the first 17 bits are 13 and zeros, and n.
    const double scaled = product * 0x1.ec7p-1;
    const double scaled_low = product * 0x1.3b87407fae94p-18 + product_low * 0x1.ec709dc3a03fdp-1;
    const double first = first_21_bits_of((scaled + scaled_low) + split.exponent);
    low = scaled_low - ((first - split.exponent) - scaled);
    const double not_zero = x == 0 ? -kInfinity<double> : first;
    high = x < kInfinity<double> ? not_zero : x;
  }
  double high;
  double low;
};

// x^y, by the logarithm high + low of |x|.
ACLHOST_INLINE double power_of_log(double x, double y, double high, double low) {
  const double half_y = 0.5 * y;
  // Neither 0 nor infinite, as 1 to the infinite is 1; infinite logarithms remain so. Twice the
  // half is a NaN whose first bits are one, too.
  const double bounded_y = with_sign_of(clamp(magnitude_of(2 * half_y), 0x1p-1000, 0x1p70), y);
  const double y_high = first_21_bits_of(bounded_y);
  // Of 2^-2046 both factors are 0, and nothing underflows, which would take long.
  const double product = clamp(y_high * high, -2046.0, 2046.0);
  // Beside these bounds it counts nothing, and may be 0 times infinity.
  double product_low = (bounded_y - y_high) * high + bounded_y * low;
  product_low = product_low > -1.0 ? product_low : -1.0;
  product_low = product_low < 1.0 ? product_low : 1.0;
  const Nearest n(product);
  const double size =
      WideExponential::of_base_two(n.bits, (product - n.whole) + product_low).value();

  const bool is_whole = floor(y) == y, is_odd = is_whole & (floor(half_y) != half_y);
  const bool has_none = !is_whole & (x < 0) & (x > -kInfinity<double>);
  const double power = has_none ? kNan<double> : is_odd ? with_sign_of(size, x) : size;
  return (x == 1) | (y == 0) ? 1.0 : power;
}
ACLHOST_INLINE double pow(double x, double y) {
  const PreciseLog2 logarithm(magnitude_of(x));
  return power_of_log(x, y, logarithm.high, logarithm.low);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
