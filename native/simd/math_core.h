// SPDX-License-Identifier: Apache-2.0
// What the mathematical functions are made of.
//
// Note [Mathematical functions]
// Functions of one number, written without branches, so that a plain loop over them vectorises.
// Those of float compute in double and round once, unless a header says otherwise: double has the
// range that saves overflow and subnormal numbers from special treatment. Products are added
// without a rounding in between where fused_multiply_add() says so and nowhere else, so the bits
// are the same with every instruction set. NaN comes out where it must; which NaN is not specified.
// tests/sweep measures the errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "simd/convert.h"
#include "simd/fused.h"

// Loops vectorise only if everything in them is inlined, however large it gets.
#define ACLHOST_INLINE __attribute__((always_inline)) inline

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

constexpr double kPi = 3.14159265358979323846, kHalfPi = kPi / 2;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLog2E = 1.44269504088896340736, kLog10E = 0.43429448190325182765;

// The polynomial with the coefficients first, first + step, ... of count, the lowest power first.
// Long ones are two of half the length in the square of x, which do not wait for each other.
template <std::size_t first, std::size_t step, typename T, std::size_t count>
ACLHOST_INLINE T polynomial_part(T x, const T (&coefficients)[count]) {
  constexpr std::size_t kTerms = (count - first + step - 1) / step;
  if constexpr (kTerms == 1) {
    return coefficients[first];
  } else if constexpr (kTerms < 8) {
    const T above = polynomial_part<first + step, step>(x, coefficients);
    return fused_multiply_add(above, x, coefficients[first]);
  } else {
    const T odd = polynomial_part<first + step, 2 * step>(x * x, coefficients);
    return fused_multiply_add(odd, x, polynomial_part<first, 2 * step>(x * x, coefficients));
  }
}
template <typename T, typename... Rest>
ACLHOST_INLINE T polynomial(T x, Rest... coefficients) {
  const T array[] = {coefficients...};
  return polynomial_part<0, 1>(x, array);
}

ACLHOST_INLINE uint32_t bits_of(float x) { return bit_cast<uint32_t>(x); }
ACLHOST_INLINE uint64_t bits_of(double x) { return bit_cast<uint64_t>(x); }
ACLHOST_INLINE float from_bits(uint32_t bits) { return bit_cast<float>(bits); }
ACLHOST_INLINE double from_bits(uint64_t bits) { return bit_cast<double>(bits); }

template <typename T>
using BitsOf = decltype(bits_of(T{}));
template <typename T>
constexpr BitsOf<T> kSignBit = BitsOf<T>{1} << (sizeof(T) * 8 - 1);

template <typename T>
ACLHOST_INLINE T magnitude_of(T x) {
  return from_bits(bits_of(x) & ~kSignBit<T>);
}
// magnitude has no sign of its own.
template <typename T>
ACLHOST_INLINE T with_sign_of(T magnitude, T x) {
  return from_bits(bits_of(magnitude) | (bits_of(x) & kSignBit<T>));
}
ACLHOST_INLINE double negative_if_odd(uint64_t number, double x) {
  return from_bits(bits_of(x) ^ (number << 63));
}
// x within bounds; NaN stays.
template <typename T>
ACLHOST_INLINE T clamp(T x, T least, T most) {
  x = x < least ? least : x;
  return x > most ? most : x;
}

// The nearest whole number, a half to even, of |x| < 2^51. Adding 1.5 * 2^52 rounds, and leaves the
// number in the last bits.
struct Nearest {
  ACLHOST_INLINE explicit Nearest(double x) {
    constexpr double kRounder = 0x1.8p52;
    const double shifted = x + kRounder;
    whole = shifted - kRounder;
    bits = bits_of(shifted);
  }
  double whole;
  uint64_t bits;  // modulo 2^51
};

// 2^n of n's last bits.
ACLHOST_INLINE double power_of_two(uint64_t n) { return from_bits((n + 1023) << 52); }

// x = 2^exponent * (1 + fraction) with -1/3 <= fraction < 1/3, of normal positive x.
struct Split {
  ACLHOST_INLINE explicit Split(double x) {
    constexpr uint64_t kTwoThirds = 0x3FE5555555555555, kBias = uint64_t{1024} << 52;
    biased = (bits_of(x) - kTwoThirds + kBias) >> 52;
    // As the last bits of 2^52, since few processors convert 64-bit integers.
    exponent = from_bits(biased | 0x4330000000000000) - (0x1p52 + 1024);
    fraction = from_bits(bits_of(x) - (biased << 52) + kBias) - 1;
  }
  // 2^-exponent, where that is a normal number.
  ACLHOST_INLINE double inverse_power() const { return from_bits((2047 - biased) << 52); }

  uint64_t biased;  // the exponent and 1024
  double exponent;
  double fraction;
};

// a * b = high + low, exactly unless a part of it overflows or underflows.
struct Product {
  ACLHOST_INLINE Product(double a, double b) : high(a * b), low(fused_multiply_add(a, b, -high)) {}
  double high;
  double low;
};

// result where log x is finite, otherwise log's special values.
template <typename T>
ACLHOST_INLINE T log_special(T x, T result) {
  result = x == kInfinity<T> ? x : result;
  const T outside = x == 0 ? -kInfinity<T> : kNan<T>;
  return x > 0 ? result : outside;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
