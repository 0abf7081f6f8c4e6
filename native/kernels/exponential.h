// SPDX-License-Identifier: Apache-2.0
// exp and expm1 without branches or calls, so that loops over them vectorise.
//
// x = n * ln 2 + r with |r| <= ln 2 / 2; 2^n comes from its bits and e^r - 1 from a polynomial. No
// operation is fused, so every instruction set gives the same bits. Errors are below 2 ulp over the
// whole range, subnormal results included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Real>
struct ExpTraits;

template <>
struct ExpTraits<float> {
  using Bits = int32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
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
  using Bits = int64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
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
template <typename Real>
struct ExpParts {
  Real fraction;
  typename ExpTraits<Real>::Bits exponent;
};

template <typename Real>
ExpParts<Real> exp_parts(Real x) {
  using Traits = ExpTraits<Real>;
  using Bits = typename Traits::Bits;
  // Written so that NaN survives both comparisons.
  x = x > Traits::kMost ? Traits::kMost : x;
  x = x < Traits::kLeast ? Traits::kLeast : x;
  const Real shifted = x * Traits::kLog2E + Traits::kRounder;
  const Real n = shifted - Traits::kRounder;
  const Real r = (x - n * Traits::kLn2High) - n * Traits::kLn2Low;
  Real polynomial = Traits::kCoefficients[0];
  for (std::size_t k = 1; k < std::size(Traits::kCoefficients); ++k) {
    polynomial = polynomial * r + Traits::kCoefficients[k];
  }
  return {r + r * r * polynomial, bit_cast<Bits>(shifted) - bit_cast<Bits>(Traits::kRounder)};
}

template <typename Real>
Real power_of_two(typename ExpTraits<Real>::Bits exponent) {
  using Traits = ExpTraits<Real>;
  using Bits = typename Traits::Bits;
  return bit_cast<Real>(static_cast<Bits>((exponent + Traits::kBias) << Traits::kMantissa));
}

// The power is applied in two steps: each is in range even where their product is not.
template <typename Real>
Real vector_exp(Real x) {
  const ExpParts<Real> parts = exp_parts(x);
  const auto half = parts.exponent >> 1;
  return (1 + parts.fraction) * power_of_two<Real>(half) *
         power_of_two<Real>(parts.exponent - half);
}

// 2^n * fraction + (2^n - 1), all over the second power until the end.
template <typename Real>
Real vector_expm1(Real x) {
  const ExpParts<Real> parts = exp_parts(x);
  const auto half = parts.exponent >> 1, rest = parts.exponent - half;
  const Real first = power_of_two<Real>(half);
  return (first * parts.fraction + (first - power_of_two<Real>(-rest))) * power_of_two<Real>(rest);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
