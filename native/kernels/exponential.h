// SPDX-License-Identifier: Apache-2.0
// exp and expm1 of vectors.
//
// x = n * ln 2 + r with |r| <= ln 2 / 2; 2^n comes from its bits and e^r - 1 from a polynomial.
// Products are added without a rounding in between where the processor can, so results may differ
// in the last bit between processors that can and others. Errors are below 2 ulp over the whole
// range, subnormal results included.
#pragma once

#include <cstddef>
#include <iterator>

#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Real>
struct ExpTraits;

template <>
struct ExpTraits<float> {
  static constexpr int kMantissa = 23;
  static constexpr float kBias = 127;
  static constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kMost = 89.0f, kLeast = -104.0f;  // beyond, results are inf and 0
  static constexpr float kLog2E = 1.44269504f;
  static constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  // 1 / k! for k = 2 ... 7, the highest power first.
  static constexpr float kCoefficients[] = {1.98412698e-4f, 1.38888889e-3f, 8.33333333e-3f,
                                            4.16666667e-2f, 1.66666667e-1f, 0.5f};
};

template <>
struct ExpTraits<double> {
  static constexpr int kMantissa = 52;
  static constexpr double kBias = 1023;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kMost = 710.0, kLeast = -746.0;
  static constexpr double kLog2E = 1.4426950408889634;
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  // 1 / k! for k = 2 ... 13, the highest power first.
  static constexpr double kCoefficients[] = {
      1.6059043836821613e-10, 2.0876756987868099e-09, 2.5052108385441719e-08,
      2.7557319223985893e-07, 2.7557319223985888e-06, 2.4801587301587302e-05,
      1.9841269841269841e-04, 1.3888888888888889e-03, 8.3333333333333332e-03,
      4.1666666666666664e-02, 1.6666666666666666e-01, 0.5};
};

// e^x = (1 + fraction) * 2^exponent
template <typename V>
struct ExpParts {
  V fraction;
  V exponent;  // a whole number
};

template <typename V>
ExpParts<V> exp_parts(V x) {
  using Traits = ExpTraits<Element<V>>;
  // Written so that NaN survives both comparisons.
  x = x > Traits::kMost ? splat<V>(Traits::kMost) : x;
  x = x < Traits::kLeast ? splat<V>(Traits::kLeast) : x;
  const V rounder = splat<V>(Traits::kRounder);
  const V n = multiply_add(x, splat<V>(Traits::kLog2E), rounder) - rounder;
  const V r =
      multiply_add(n, splat<V>(-Traits::kLn2Low), multiply_add(n, splat<V>(-Traits::kLn2High), x));
  V polynomial = splat<V>(Traits::kCoefficients[0]);
  for (std::size_t k = 1; k < std::size(Traits::kCoefficients); ++k) {
    polynomial = multiply_add(polynomial, r, splat<V>(Traits::kCoefficients[k]));
  }
  return {multiply_add(r * r, polynomial, r), n};
}

// For whole numbers that are exponents. With the bias the last bits of the sum are those of the
// power's exponent, and the shift drops all others.
template <typename V>
V power_of_two(V exponent) {
  using Traits = ExpTraits<Element<V>>;
  return bit_cast<V>(bit_cast<MaskOf<V>>(exponent + (Traits::kRounder + Traits::kBias))
                     << Traits::kMantissa);
}

template <typename V>
V half_of(V exponent) {
  constexpr auto kRounder = ExpTraits<Element<V>>::kRounder;
  return (exponent * Element<V>(0.5) + kRounder) - kRounder;
}

// value * 2^exponent, rounded once: of two steps each is in range where their product is not, and
// the first is exact.
template <typename V>
V times_power(V value, V exponent) {
  if constexpr (kScalesByPowers) return scale_by_power(value, exponent);
  const V half = half_of(exponent);
  return value * power_of_two<V>(exponent - half) * power_of_two(half);
}

template <typename V>
V vector_exp(V x) {
  const ExpParts<V> parts = exp_parts(x);
  return times_power(1 + parts.fraction, parts.exponent);
}

// 2^n * fraction + (2^n - 1), half of the power taken out until the end lest it overflows.
template <typename V>
V vector_expm1(V x) {
  const ExpParts<V> parts = exp_parts(x);
  const V rest = half_of(parts.exponent), first = power_of_two<V>(parts.exponent - rest);
  return multiply_add(first, parts.fraction, first - power_of_two<V>(-rest)) * power_of_two(rest);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
