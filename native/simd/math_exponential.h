// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms, and what follows from them: Note [Mathematical functions].
#pragma once

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// e^x or 2^x as power * (1 + less_one).
struct Exponential {
  // |x| < 700
  static ACLHOST_INLINE Exponential of(double x) {
    const Nearest n(x * kLog2E);
    const double r = x - n.whole * kLn2;
    // (e^r - 1) / r to within 2.4e-10 of itself, |r| <= ln 2 / 2.
    const double quotient = polynomial(
        r, 1.0000000000312155, 0.5000000046683073, 0.16666666249335946, 0.04166635431070876,
        0.008333402923546116, 0.0013941016445949634, 0.00019841257089306);
    return {power_of_two(n.bits), quotient * r};
  }
  // |x| < 1000
  static ACLHOST_INLINE Exponential of_base_two(double x) {
    const Nearest n(x);
    const double r = x - n.whole;
    // (2^r - 1) / r to within 2.4e-10 of itself, |r| <= 1/2.
    const double quotient = polynomial(
        r, 0.6931471805815649, 0.24022650920066163, 0.05550410727584089, 0.009618057033699851,
        0.0013333669448083367, 0.00015461331122612308, 1.5252724014915794e-05);
    return {power_of_two(n.bits), quotient * r};
  }
  ACLHOST_INLINE double value() const { return power + power * less_one; }
  ACLHOST_INLINE double value_less_one() const { return power * less_one + (power - 1); }

  double power;
  double less_one;
};

// Arguments are bounded where a float result is infinite, 0 or -1 anyway.
ACLHOST_INLINE float expm1(float x) {
  const double result = Exponential::of(clamp<double>(x, -100.0, 100.0)).value_less_one();
  return x == 0 ? x : static_cast<float>(result);
}

// log1p(f) to within 1.8e-13 of itself, |f| <= 1/3.
ACLHOST_INLINE double log1p_near_zero(double f) {
  const double s = f / (2 + f);  // log1p(f) = log((1 + s) / (1 - s)), |s| <= 1/5
  return s * polynomial(s * s, 1.9999999999996543, 0.6666666672865552, 0.3999998200735378,
                        0.2857333449285025, 0.22131359501477949, 0.20156600311779777);
}

// log of normal positive x, which log1p_normal takes as 1 + less_one, exact even near 1.
ACLHOST_INLINE double log_normal(double x) {
  const Split split(x);
  return split.exponent * kLn2 + log1p_near_zero(split.fraction);
}
ACLHOST_INLINE double log1p_normal(double less_one) {
  const Split split(1 + less_one);
  const double fraction = split.exponent == 0 ? less_one : split.fraction;
  return split.exponent * kLn2 + log1p_near_zero(fraction);
}

ACLHOST_INLINE double log2_normal(double x) {
  const Split split(x);
  return split.exponent + log1p_near_zero(split.fraction) * kLog2E;
}

ACLHOST_INLINE float log2(float x) { return log_special(x, static_cast<float>(log2_normal(x))); }
ACLHOST_INLINE float log10(float x) {
  return log_special(x, static_cast<float>(log_normal(x) * kLog10E));
}

// sinh and cosh of x = n ln 2 + r by addition theorems from those of r, halves of 2^n and 2^-n.
struct Hyperbolic {
  ACLHOST_INLINE explicit Hyperbolic(double x) {
    const Nearest n(x * kLog2E);
    const double r = x - n.whole * kLn2, square = r * r;
    // sinh(r) / r and cosh(r), |r| <= ln 2 / 2, to within 4.5e-12 and 1.4e-14 of themselves.
    const double sinh_r = r * polynomial(square, 0.9999999999955478, 0.16666666785745807,
                                         0.00833328365969859, 0.0001990750436554442);
    const double cosh_r =
        polynomial(square, 1.000000000000013, 0.4999999999944855, 0.04166666703643907,
                   0.0013888802292674836, 2.4884235753499622e-05);
    const double up = power_of_two(n.bits - 1), down = power_of_two(-n.bits - 1);
    sinh = cosh_r * (up - down) + sinh_r * (up + down);
    cosh = cosh_r * (up + down) + sinh_r * (up - down);
  }
  double sinh;
  double cosh;
};

ACLHOST_INLINE float sinh(float x) {
  const float result = static_cast<float>(Hyperbolic(clamp<double>(x, -100.0, 100.0)).sinh);
  return x == 0 ? x : result;
}
ACLHOST_INLINE float cosh(float x) {
  return static_cast<float>(Hyperbolic(clamp<double>(x, -100.0, 100.0)).cosh);
}
ACLHOST_INLINE float asinh(float x) {
  const double size = magnitude_of(static_cast<double>(x)), square = size * size;
  const double less_one = size + square / (1 + __builtin_sqrt(square + 1));
  const float result = static_cast<float>(log1p_normal(less_one));
  const float special = size < kInfinity<double> ? result : magnitude_of(x);
  return with_sign_of(special, x);
}
ACLHOST_INLINE float acosh(float x) {
  const double above = static_cast<double>(x) - 1;
  const double result = log1p_normal(above + __builtin_sqrt(above * (above + 2)));
  const float special = x < kInfinity<float> ? static_cast<float>(result) : x;
  return x >= 1 ? special : kNan<float>;
}
ACLHOST_INLINE float atanh(float x) {
  const double size = magnitude_of(static_cast<double>(x));
  const double result = 0.5 * log1p_normal(2 * size / (1 - size));
  float special = size < 1 ? static_cast<float>(result) : kNan<float>;
  special = size == 1 ? kInfinity<float> : special;
  return with_sign_of(special, x);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
