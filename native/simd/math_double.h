// SPDX-License-Identifier: Apache-2.0
// Functions of double. exp, expm1 and sigmoid vectorise and give the same bits everywhere. The
// others are the C library's, one number at a time; their last bits are its affair and may differ
// between processors.
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// e^x = power * rest_of_power * (1 + less_one): two factors, for 2^n may not be a normal number.
struct WideExponential {
  ACLHOST_INLINE explicit WideExponential(double x) {
    const Nearest n(x * kLog2E);
    // The first part of ln 2 has 32 bits: its product is exact.
    const double r =
        (x - n.whole * 6.93147180369123816490e-01) - n.whole * 1.90821492927058770002e-10;
    // (e^r - 1 - r) / r^2 by its series.
    const double tail =
        polynomial(r, 0.5, 1.6666666666666666e-01, 4.1666666666666664e-02, 8.3333333333333332e-03,
                   1.3888888888888889e-03, 1.9841269841269841e-04, 2.4801587301587302e-05,
                   2.7557319223985888e-06, 2.7557319223985893e-07, 2.5052108385441719e-08,
                   2.0876756987868099e-09, 1.6059043836821613e-10);
    less_one = r * r * tail + r;
    const uint64_t biased = n.bits + 2046, half = (biased & 0xFFF) >> 1;
    power = from_bits((biased - half) << 52);
    rest_of_power = from_bits(half << 52);
    inverse_rest = from_bits((2046 - half) << 52);
  }
  double less_one;
  double power;
  double rest_of_power;
  double inverse_rest;
};

ACLHOST_INLINE double exp(double x) {
  const WideExponential e(clamp(x, -746.0, 710.0));
  return (1 + e.less_one) * e.power * e.rest_of_power;
}
ACLHOST_INLINE double expm1(double x) {
  const WideExponential e(clamp(x, -746.0, 710.0));
  const double result = (e.power * e.less_one + (e.power - e.inverse_rest)) * e.rest_of_power;
  return x == 0 ? x : result;
}
ACLHOST_INLINE double sigmoid(double x) {
  const double power = exp(-magnitude_of(x));
  return (x < 0 ? power : 1) / (1 + power);
}

inline double exp2(double x) { return std::exp2(x); }
inline double log(double x) { return std::log(x); }
inline double log2(double x) { return std::log2(x); }
inline double log10(double x) { return std::log10(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double log1p_exp(double x) {
  const double result = (x > 0 ? x : 0) + std::log1p(exp(-magnitude_of(x)));
  return x == x ? result : x;
}
inline double sinh(double x) { return std::sinh(x); }
inline double cosh(double x) { return std::cosh(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double asinh(double x) { return std::asinh(x); }
inline double acosh(double x) { return std::acosh(x); }
inline double atanh(double x) { return std::atanh(x); }
inline double pow(double x, double y) { return std::pow(x, y); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double tan(double x) { return std::tan(x); }
inline double asin(double x) { return std::asin(x); }
inline double acos(double x) { return std::acos(x); }
inline double atan(double x) { return std::atan(x); }
inline double atan2(double y, double x) { return std::atan2(y, x); }
inline double erf(double x) { return std::erf(x); }
inline double erfc(double x) { return std::erfc(x); }

// sin(pi x) / (pi x); 0 where x is whole.
inline double sinc(double x) {
  const double nearest = std::rint(x);
  const double sine = std::sin(kPi * (x - nearest));  // the rest is exact, also next to a root
  const double result = (std::remainder(nearest, 2.0) == 0 ? sine : -sine) / (kPi * x);
  return x == 0 ? 1.0 : magnitude_of(x) == kInfinity<double> ? 0.0 : result;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
