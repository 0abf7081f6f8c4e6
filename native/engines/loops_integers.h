// SPDX-License-Identifier: Apache-2.0
// What loops do with integers. They wrap. Every operand is defined: a quotient by 0 has all bits
// set, a shift by a negative count or past the width leaves the sign or 0.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

// Where sums and products of a type wrap: at least 32 bits, since C++ would compute narrower types
// as signed int.
template <typename T>
using Wrapping =
    std::conditional_t<sizeof(T) < sizeof(uint32_t), uint32_t, std::make_unsigned_t<T>>;

template <typename T>
ACLHOST_INLINE T wrapping_add(T x, T y) {
  return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
}
template <typename T>
ACLHOST_INLINE T wrapping_subtract(T x, T y) {
  return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
}
template <typename T>
ACLHOST_INLINE T wrapping_multiply(T x, T y) {
  return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
}
template <typename T>
ACLHOST_INLINE T wrapping_negative(T x) {
  return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
}

template <typename T>
ACLHOST_INLINE T bitwise_and(T x, T y) {
  return static_cast<T>(x & y);
}
template <typename T>
ACLHOST_INLINE T bitwise_or(T x, T y) {
  return static_cast<T>(x | y);
}
template <typename T>
ACLHOST_INLINE T bitwise_xor(T x, T y) {
  return static_cast<T>(x ^ y);
}
template <typename T>
ACLHOST_INLINE T invert(T x) {
  return static_cast<T>(~x);
}

// A byte by the last three bits of a count, one bit after the other: no vectors of bytes are
// shifted by vectors.
ACLHOST_INLINE uint8_t shift_byte_left(uint8_t x, uint8_t count) {
  x = (count & 4) != 0 ? static_cast<uint8_t>(x << 4) : x;
  x = (count & 2) != 0 ? static_cast<uint8_t>(x << 2) : x;
  return (count & 1) != 0 ? static_cast<uint8_t>(x << 1) : x;
}
template <typename T>
ACLHOST_INLINE T shift_byte_right(T x, uint8_t count) {
  x = (count & 4) != 0 ? static_cast<T>(x >> 4) : x;
  x = (count & 2) != 0 ? static_cast<T>(x >> 2) : x;
  return (count & 1) != 0 ? static_cast<T>(x >> 1) : x;
}

// As unsigned numbers, negative counts are past every width.
template <typename T>
ACLHOST_INLINE T shift_left(T x, T count) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kWidth = sizeof(T) * 8;
  const Bits bits = static_cast<Bits>(count);
  if constexpr (sizeof(T) == 1) {
    const T shifted = static_cast<T>(shift_byte_left(static_cast<Bits>(x), bits));
    return bits < kWidth ? shifted : T{0};
  } else {
    const T shifted = static_cast<T>(static_cast<Wrapping<T>>(x) << (bits & (kWidth - 1)));
    return bits < kWidth ? shifted : T{0};
  }
}
template <typename T>
ACLHOST_INLINE T shift_right(T x, T count) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kWidth = sizeof(T) * 8;
  const Bits bits = static_cast<Bits>(count);
  const T rest = std::is_signed_v<T> ? static_cast<T>(x >> (kWidth - 1)) : T{0};
  if constexpr (sizeof(T) == 1) {
    const T shifted = shift_byte_right(x, bits);
    return bits < kWidth ? shifted : rest;
  } else {
    const T shifted = static_cast<T>(x >> (bits & (kWidth - 1)));
    return bits < kWidth ? shifted : rest;
  }
}

// A divisor that the processor can divide by. The least number by -1 would trap, so whatever is
// divided by -1 is negated instead.
template <typename T>
ACLHOST_INLINE T safe_divisor(T y) {
  return y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1)) ? T{1} : y;
}
template <typename T>
ACLHOST_INLINE T special_quotient(T x, T y, T quotient) {
  if (y == 0) return static_cast<T>(-1);
  return std::is_signed_v<T> && y == static_cast<T>(-1) ? wrapping_negative(x) : quotient;
}

// A negative exponent leaves 1 and -1 and makes all others 0.
template <typename T>
inline T integer_power(T base, T exponent) {
  if (std::is_signed_v<T> && exponent < 0) {
    if (base == 1) return 1;
    const bool odd = (exponent & 1) != 0;
    return base == static_cast<T>(-1) ? static_cast<T>(odd ? -1 : 1) : T{0};
  }
  T result = 1;
  for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) result = wrapping_multiply(result, base);
    base = wrapping_multiply(base, base);
  }
  return result;
}
// The same of exponents below 128 without branches: Note [Near operands].
template <typename T>
ACLHOST_INLINE bool power_is_near(T, T exponent) {
  return (exponent & static_cast<T>(~T{127})) == 0;
}
template <typename T>
ACLHOST_INLINE T power_near(T base, T exponent) {
  Wrapping<T> result = 1, square = static_cast<Wrapping<T>>(base);
  for (int bit = 0; bit < 7; ++bit) {
    result = (exponent >> bit & 1) != 0 ? result * square : result;
    square = square * square;
  }
  return static_cast<T>(result);
}
// Differences of odd numbers are even, and lose a bit at least: faster than remainders.
template <typename T>
inline T gcd(T x, T y) {
  using Bits = std::make_unsigned_t<T>;
  const auto zeros = [](Bits bits) { return __builtin_ctzll(bits); };
  auto a = static_cast<Bits>(x < 0 ? wrapping_negative(x) : x);
  auto b = static_cast<Bits>(y < 0 ? wrapping_negative(y) : y);
  if (a == 0 || b == 0) return static_cast<T>(a | b);
  const int common = zeros(a | b);
  a = static_cast<Bits>(a >> zeros(a));
  while (b != 0) {
    b = static_cast<Bits>(b >> zeros(b));
    const Bits less = a < b ? a : b;
    b = static_cast<Bits>(a < b ? b - a : a - b);
    a = less;
  }
  return static_cast<T>(a << common);
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
