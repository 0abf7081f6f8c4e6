// SPDX-License-Identifier: Apache-2.0
// exp and expm1 of vectors.
//
// x = n * ln 2 + r with |r| <= ln 2 / 2; 2^n comes from its bits and e^r from a polynomial.
// Products are added without a rounding in between where the processor can, so results may differ
// in the last bit between processors that can and others. Errors are below 2 ulp over the whole
// range, subnormal results included. Where the result will be rounded to 16 bits, e^x is within
// 1e-5 of itself, which is a fiftieth of what that rounding may change.
#pragma once

#include <cstddef>
#include <iterator>

#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// By the type of the elements, which are computed in ComputeType<T>.
template <typename T>
struct ExpTraits;

template <>
struct ExpTraits<float> {
  static constexpr int kMantissa = 23, kBias = 127;
  // 1.5 * 2^23: adding it rounds to a whole number. The rest is twice the bias of exponents.
  static constexpr float kRounder = 12582912.0f + 2 * kBias;
  static constexpr float kMost = 89.0f, kLeast = -104.0f;  // beyond, results are inf and 0
  static constexpr float kLeastNormal = -87.0f;            // beyond, 2^n may not be normal
  static constexpr float kLog2E = 1.44269504f;
  static constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  // (e^r - 1 - r) / r^2 to within 1.5e-8 of r, the highest power first.
  static constexpr float kCoefficients[] = {1.39462279e-3f, 8.36647361e-3f, 4.16662874e-2f,
                                            1.66665445e-1f, 5.00000006e-1f};
};

struct ShortExpTraits : ExpTraits<float> {
  static constexpr float kLn2High = 0.693147181f, kLn2Low = 0;
  // To within 5.4e-6 of e^r.
  static constexpr float kCoefficients[] = {4.12773676e-2f, 1.67536005e-1f, 5.00051260e-1f};
};
template <>
struct ExpTraits<Half> : ShortExpTraits {};
template <>
struct ExpTraits<BFloat16> : ShortExpTraits {};

template <>
struct ExpTraits<double> {
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr double kRounder = 6755399441055744.0 + 2 * kBias;  // 1.5 * 2^52
  static constexpr double kMost = 710.0, kLeast = -746.0, kLeastNormal = -708.0;
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

// e^x = e^r * 2^n. Without an upper bound x is at most that, or the result is of no use.
template <typename T, bool bounded>
struct Exponential {
  using V = ComputeVector<T>;
  using Traits = ExpTraits<T>;

  explicit Exponential(V x, Element<V> least = Traits::kLeast) {
    // Operands in the order in which NaN survives.
    if constexpr (bounded) x = minimum(splat<V>(Traits::kMost), x);
    x = maximum(splat<V>(least), x);
    shifted = multiply_add(x, splat<V>(Traits::kLog2E), splat<V>(Traits::kRounder));
    n = shifted - Traits::kRounder;
    r = multiply_add(n, splat<V>(-Traits::kLn2High), x);
    if constexpr (Traits::kLn2Low != 0) r = multiply_add(n, splat<V>(-Traits::kLn2Low), r);
    tail = splat<V>(Traits::kCoefficients[0]);
    for (std::size_t k = 1; k < std::size(Traits::kCoefficients); ++k) {
      tail = multiply_add(tail, r, splat<V>(Traits::kCoefficients[k]));
    }
  }

  V shifted;  // its last bits are n plus twice the bias of exponents
  V n;
  V r;
  V tail;  // (e^r - 1 - r) / r^2
};

// 2^n in two factors: each is a normal number even where their product is not.
template <typename V>
struct PowerOfTwo {
  explicit PowerOfTwo(V shifted) {
    using Bits = UnsignedOf<V>;
    constexpr int kMantissa = ExpTraits<Element<V>>::kMantissa;
    const Bits biased = bit_cast<Bits>(shifted), half = biased >> 1;
    first = bit_cast<V>((biased - half) << kMantissa);
    second = bit_cast<V>(half << kMantissa);
    // The exponents' sum is twice the bias.
    inverse_second = bit_cast<V>(bit_cast<Bits>(splat<V>(1)) * 2 - (half << kMantissa));
  }
  V first;
  V second;
  V inverse_second;
};

// As exact as results of type T need it.
template <typename T, bool bounded = true, typename V>
V vector_exp(V x) {
  const Exponential<T, bounded> e(x);
  const V one = splat<V>(1);
  const V fraction = multiply_add(multiply_add(e.tail, e.r, one), e.r, one);
  if constexpr (kScalesByPowers) return scale_by_power(fraction, e.n);
  const PowerOfTwo<V> power(e.shifted);
  return fraction * power.first * power.second;
}

// 2^n * (e^r - 1) + (2^n - 1)
template <typename T, bool bounded = true, typename V>
V vector_expm1(V x) {
  using Traits = ExpTraits<T>;
  const auto less_one = [](const auto& e) { return multiply_add(e.r * e.r, e.tail, e.r); };
  if constexpr (bounded) {
    // One factor of the power is taken out until the end lest it overflows.
    const Exponential<T, true> e(x);
    const PowerOfTwo<V> power(e.shifted);
    const V rest = power.first - power.inverse_second;
    return multiply_add(power.first, less_one(e), rest) * power.second;
  } else {
    const Exponential<T, false> e(x, Traits::kLeastNormal);
    using Bits = UnsignedOf<V>;
    const V power = bit_cast<V>((bit_cast<Bits>(e.shifted) - Traits::kBias) << Traits::kMantissa);
    return multiply_add(power, less_one(e), power - 1);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
