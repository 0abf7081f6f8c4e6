// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of double: Note [Mathematical functions]. Those that are the C
// library's compute one number at a time; their last bits are its affair and may differ between
// processors.
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// The first part of ln 2 has 32 bits: its products with exponents are exact.
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;

// power * rest_of_power * (1 + less_one): two factors, for 2^n may not be a normal number.
struct WideExponential {
  // e^x
  ACLHOST_INLINE explicit WideExponential(double x) {
    const Nearest n(x * kLog2E);
    const double r = (x - n.whole * kLn2High) - n.whole * kLn2Low;
    less_one = series_of(r) + r;
    set_power(n.bits);
  }
  // e^(x + low), low being small.
  ACLHOST_INLINE WideExponential(double x, double low) {
    const Nearest n(x * kLog2E);
    const double first = x - n.whole * kLn2High, second = low - n.whole * kLn2Low;
    const double r = first + second;
    *this = of_parts(n.bits, r, (first - r) + second);
  }
  // 2^n e^(r + low), |r| <= ln 2 / 2.
  static ACLHOST_INLINE WideExponential of_parts(uint64_t n, double r, double low) {
    WideExponential result;
    result.less_one = (series_of(r) + low) + r;
    result.set_power(n);
    return result;
  }
  // 2^(n + r), |r| <= 1/2.
  static ACLHOST_INLINE WideExponential of_base_two(uint64_t n, double r) {
    WideExponential result;
    // (2^r - 1) / r, so that 2^r is within 1.8e-17.
    result.less_one =
        r * polynomial(r, 0.6931471805599453, 0.2402265069591014, 0.05550410866482176,
                       0.009618129107590427, 0.0013333558146374866, 0.0001540353046205029,
                       1.5252733871527615e-05, 1.3215432710816477e-06, 1.0178044818291782e-07,
                       7.074240512599391e-09, 4.4576314586278373e-10);
    result.set_power(n);
    return result;
  }
  ACLHOST_INLINE double value() const { return (1 + less_one) * power * rest_of_power; }

  double less_one;
  uint64_t exponent;
  double power;
  double rest_of_power;
  double inverse_rest;

 private:
  WideExponential() = default;
  // e^r - 1 - r
  static ACLHOST_INLINE double series_of(double r) {
    // (e^r - 1 - r) / r^2, so that e^r is within 1.2e-17.
    const double tail = polynomial(
        r, 0.5000000000000014, 0.16666666666666702, 0.04166666666650306, 0.00833333333330503,
        0.0013888888950544696, 0.00019841269922113016, 2.4801486038781422e-05,
        2.7557212060434835e-06, 2.7632749401273917e-07, 2.5119207244289505e-08);
    return r * r * tail;
  }
  ACLHOST_INLINE void set_power(uint64_t n) {
    exponent = n;
    const uint64_t biased = n + 2046, half = (biased & 0xFFF) >> 1;
    power = from_bits((biased - half) << 52);
    rest_of_power = from_bits(half << 52);
    inverse_rest = from_bits((2046 - half) << 52);
  }
};

ACLHOST_INLINE double exp(double x) { return WideExponential(clamp(x, -746.0, 710.0)).value(); }
ACLHOST_INLINE double exp2(double x) {
  const double bounded = clamp(x, -1076.0, 1024.0);
  const Nearest n(bounded);
  return WideExponential::of_base_two(n.bits, bounded - n.whole).value();
}
ACLHOST_INLINE double expm1(double x) {
  const WideExponential e(clamp(x, -746.0, 710.0), 0.0);
  const double result = (e.power * e.less_one + (e.power - e.inverse_rest)) * e.rest_of_power;
  return x == 0 ? x : result;
}
// 1 / (1 + e^-x), both sides 2^-64 times as large, so that the power of two is a normal number.
// What its sum with 1 loses comes back.
ACLHOST_INLINE double sigmoid(double x) {
  const WideExponential e(-clamp(x, -746.0, 40.0));
  const double one = 0x1p-64, power = from_bits((e.exponent - 64 + 1023) << 52);
  const double sum = one + power, lost = (power - sum) + one;
  return one / (sum + (power * e.less_one + lost));
}

// log(1 + f) = f - (half_square - rest), |f| <= 1/3.
struct WideLogarithm {
  ACLHOST_INLINE explicit WideLogarithm(double f) {
    const double s = f / (2 + f), square = s * s;
    half_square = 0.5 * f * f;
    // (log((1 + s) / (1 - s)) / s - 2) / s^2, so that the logarithm is within 1.5e-17 of itself.
    rest = s * (half_square + square * polynomial(square, 0.6666666666667274, 0.3999999999614611,
                                                  0.28571429398262604, 0.22222138243731443,
                                                  0.1818636719639405, 0.1524995600277596,
                                                  0.15370066049875397));
  }
  double half_square;
  double rest;
};

// x = 2^exponent (1 + fraction) of all positive x.
struct WideSplit {
  ACLHOST_INLINE explicit WideSplit(double x) {
    const bool subnormal = x < 0x1p-1022;
    const Split split(subnormal ? x * 0x1p54 : x);
    exponent = split.exponent - (subnormal ? 54.0 : 0.0);
    fraction = split.fraction;
  }
  double exponent;
  double fraction;
};

// n ln 2 + log(1 + f)
ACLHOST_INLINE double log_of_parts(double n, double f) {
  const WideLogarithm logarithm(f);
  return n * kLn2High - ((logarithm.half_square - (logarithm.rest + n * kLn2Low)) - f);
}
// The same times high + low, where n ln 2 times that is n (power_high + power_low). high has 32
// bits and meets a number of 21, power_high has 42: their products are exact.
ACLHOST_INLINE double log_of_parts(double n, double f, double high, double low, double power_high,
                                   double power_low) {
  const WideLogarithm logarithm(f);
  const double first = from_bits(bits_of(f - logarithm.half_square) & 0xFFFFFFFF00000000);
  const double second = ((f - first) - logarithm.half_square) + logarithm.rest;
  const double whole = n * power_high, product = first * high, sum = whole + product;
  const double rest = (second * high + (second + first) * low) + n * power_low;
  return sum + (rest + ((whole - sum) + product));
}

ACLHOST_INLINE double log(double x) {
  const WideSplit split(x);
  return log_special(x, log_of_parts(split.exponent, split.fraction));
}
ACLHOST_INLINE double log2(double x) {
  const WideSplit split(x);
  return log_special(x, log_of_parts(split.exponent, split.fraction, 0x1.71547652p+0,
                                     0x1.705fc2eefa2p-33, 1.0, 0.0));
}
ACLHOST_INLINE double log10(double x) {
  const WideSplit split(x);
  return log_special(
      x, log_of_parts(split.exponent, split.fraction, 0x1.bcb7b152p-2, 0x1.b9438ca9aadd5p-36,
                      0x1.34413509f78p-2, 0x1.fef311f12b358p-46));
}
// log(sum + lost), lost being small: the fraction gets it back. Beside large sums it counts
// nothing.
ACLHOST_INLINE double log_of_sum(double sum, double lost) {
  const Split split(sum);
  const double fraction = split.fraction + (sum < 0x1p60 ? lost * split.inverse_power() : 0);
  return log_special(sum, log_of_parts(split.exponent, fraction));
}
// log(1 + x + low)
ACLHOST_INLINE double log1p_of_parts(double x, double low) {
  const double sum = 1 + x, lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
  return log_of_sum(sum, lost + low);
}
ACLHOST_INLINE double log1p(double x) { return x == 0 ? x : log1p_of_parts(x, 0); }
ACLHOST_INLINE double log1p_exp(double x) {
  const double result = (x > 0 ? x : 0) + log1p(exp(-magnitude_of(x)));
  return x == x ? result : x;
}

// sinh and cosh of x >= 0 as those of float: the addition theorems, with quarters of 2^n and 2^-n,
// since half of 2^n may be infinite. n is 0 up to 0.8, lest the parts of sinh cancel.
struct WideHyperbolic {
  ACLHOST_INLINE explicit WideHyperbolic(double x) {
    const Nearest n(x < 0.8 ? 0 : x * kLog2E);
    const double r = (x - n.whole * kLn2High) - n.whole * kLn2Low, square = r * r;
    // sinh r within 4.9e-18 of itself, cosh r - 1 within 4.9e-20 of cosh r.
    const double sinh_r =
        r + r * square *
                polynomial(square, 0.1666666666666662, 0.00833333333334734, 0.0001984126982724384,
                           2.75573256800191e-06, 2.505060666920855e-08, 1.6230715563374006e-10);
    const double cosh_less_one =
        square * polynomial(square, 0.5, 0.04166666666666643, 0.0013888888888920947,
                            2.4801587281290962e-05, 2.755732609413952e-07, 2.087547954333294e-09,
                            1.1593733471381763e-11);
    const double up = power_of_two(n.bits - 2), down = x < 40 ? power_of_two(-n.bits - 2) : 0;
    const double sum = up + down, difference = up - down;
    sinh = 2 * ((difference * cosh_less_one + sum * sinh_r) + difference);
    cosh = 2 * ((sum * cosh_less_one + difference * sinh_r) + sum);
  }
  double sinh;
  double cosh;
};

ACLHOST_INLINE double sinh(double x) {
  const double size = magnitude_of(x);
  return with_sign_of(WideHyperbolic(size > 710.5 ? 710.5 : size).sinh, x);
}
ACLHOST_INLINE double cosh(double x) {
  const double size = magnitude_of(x);
  return WideHyperbolic(size > 710.5 ? 710.5 : size).cosh;
}
// log1p(2 x / (1 - x)) / 2
ACLHOST_INLINE double atanh(double x) {
  const double size = magnitude_of(x), twice = 2 * size;
  const double quotient = (size < 0.5 ? twice * size : twice) / (1 - size);
  const double result = 0.5 * log1p(size < 0.5 ? twice + quotient : quotient);
  return with_sign_of(magnitude_of(result), x);
}

inline double tanh(double x) { return std::tanh(x); }

// log1p(x + x^2 / (1 + sqrt(1 + x^2))); log(2 x) of large x.
ACLHOST_INLINE double asinh(double x) {
  const double size = magnitude_of(x);
  const bool large = size > 0x1p60;
  const double bounded = large ? 0 : size, square = bounded * bounded;
  const double more = square / (1 + __builtin_sqrt(1 + square)), sum = bounded + more;
  const double result = log1p_of_parts(large ? size : sum, (bounded - sum) + more);
  return with_sign_of(size == size ? magnitude_of(result + (large ? kLn2 : 0)) : size, x);
}
// log1p(t + sqrt(t^2 + 2 t)) with t = x - 1; log(2 x) of large x.
ACLHOST_INLINE double acosh(double x) {
  const bool large = x > 0x1p60;
  const double t = large ? 0 : x - 1, square = t * (t + 2), root = __builtin_sqrt(square);
  const double sum = t + root, result = log1p_of_parts(large ? x : sum, (root - sum) + t);
  return x < 1 ? kNan<double> : result + (large ? kLn2 : 0);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
