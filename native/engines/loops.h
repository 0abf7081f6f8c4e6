// SPDX-License-Identifier: Apache-2.0
// What generated loops are made of besides native/simd/math.h; NumPy's side of it is
// src/aclhost/spec/numpy_functions.py.
//
// Integers wrap. Every operand is defined: a quotient by 0 has all bits set, a remainder by 0 is
// the dividend, a shift by a negative count or past the width leaves the sign or 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engines/cast_values.h"
#include "engines/loops_complex.h"
#include "engines/loops_narrow.h"
#include "engines/pointwise_operator.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

template <typename T>
ACLHOST_INLINE T number(const Number& number) {
  T value;
  std::memcpy(&value, &number, sizeof value);
  return value;
}

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

// As unsigned numbers, negative counts are past every width.
template <typename T>
ACLHOST_INLINE T shift_left(T x, T count) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kWidth = sizeof(T) * 8;
  const Bits bits = static_cast<Bits>(count);
  const T shifted = static_cast<T>(static_cast<Wrapping<T>>(x) << (bits & (kWidth - 1)));
  return bits < kWidth ? shifted : T{0};
}
template <typename T>
ACLHOST_INLINE T shift_right(T x, T count) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kWidth = sizeof(T) * 8;
  const Bits bits = static_cast<Bits>(count);
  const T shifted = static_cast<T>(x >> (bits & (kWidth - 1)));
  const T rest = std::is_signed_v<T> ? static_cast<T>(x >> (kWidth - 1)) : T{0};
  return bits < kWidth ? shifted : rest;
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

template <typename T>
ACLHOST_INLINE T trunc_divide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::trunc(x / y);
  } else {
    return special_quotient(x, y, static_cast<T>(x / safe_divisor(y)));
  }
}
template <typename T>
ACLHOST_INLINE T floor_divide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::floor(x / y);
  } else {
    const T divisor = safe_divisor(y), rest = static_cast<T>(x % divisor);
    const bool inexact_below = rest != 0 && (rest < 0) != (divisor < 0);
    return special_quotient(x, y, static_cast<T>(x / divisor - inexact_below));
  }
}

template <typename T>
ACLHOST_INLINE T fmod(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::fmod(x, y);
  } else {
    const T rest = static_cast<T>(x % safe_divisor(y));
    return y == 0 ? x : rest;
  }
}
template <typename T>
ACLHOST_INLINE T remainder(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::remainder(x, y);
  } else {
    const T rest = static_cast<T>(x % safe_divisor(y));
    const T same_sign = rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
    return y == 0 ? x : same_sign;
  }
}

// Note [Remainders]
// fmod and remainder have a branch for the rare |x / y| >= 2^29, so loops over them do not
// vectorise. Where all_near says that a block has none, fmod_near and remainder_near give the same
// bits and do. The operands are pointers or numbers.
template <typename T>
ACLHOST_INLINE T element(const T* x, int64_t i) {
  return x[i];
}
template <typename T>
ACLHOST_INLINE T element(T x, int64_t) {
  return x;
}
template <typename T, typename X, typename Y>
inline bool all_near([[maybe_unused]] X x, [[maybe_unused]] Y y, [[maybe_unused]] int64_t n) {
  uint32_t far = 1;
  if constexpr (std::is_same_v<T, float>) {
    far = 0;
    for (int64_t i = 0; i < n; ++i) far |= math::is_near(element(x, i), element(y, i)) ? 0u : 1u;
  }
  return far == 0;
}
template <typename T>
ACLHOST_INLINE T fmod_near(T x, T y) {
  if constexpr (std::is_same_v<T, float>) {
    return math::fmod_near(x, y);
  } else {
    return fmod(x, y);
  }
}
template <typename T>
ACLHOST_INLINE T remainder_near(T x, T y) {
  if constexpr (std::is_same_v<T, float>) {
    return math::remainder_near(x, y);
  } else {
    return remainder(x, y);
  }
}

template <typename T>
ACLHOST_INLINE T multiply(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_multiply(x, y);
  } else {
    return x * y;
  }
}
template <typename T>
ACLHOST_INLINE T square(T x) {
  return multiply(x, x);
}
template <typename T>
ACLHOST_INLINE T cube(T x) {
  return multiply(multiply(x, x), x);
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
template <typename T>
ACLHOST_INLINE T power(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return integer_power(x, y);
  } else {
    return math::pow(x, y);
  }
}

template <typename T>
inline T gcd(T x, T y) {
  using Bits = std::make_unsigned_t<T>;
  auto a = static_cast<Bits>(x < 0 ? wrapping_negative(x) : x);
  auto b = static_cast<Bits>(y < 0 ? wrapping_negative(y) : y);
  while (b != 0) {
    const Bits rest = a % b;
    a = b;
    b = rest;
  }
  return static_cast<T>(a);
}

template <typename T>
ACLHOST_INLINE auto absolute(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? wrapping_negative(x) : x;
  } else if constexpr (std::is_floating_point_v<T>) {
    return math::magnitude_of(x);
  } else if constexpr (kIsNarrow<T>) {
    return T{magnitude_bits(x)};
  } else {
    return math::abs(x);
  }
}
template <typename T>
ACLHOST_INLINE T sign(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>((x > 0 ? T{1} : T{0}) - (x < 0 ? T{1} : T{0}));
  } else {
    return unit(x);
  }
}
template <typename T>
ACLHOST_INLINE T copysign(T x, T y) {
  return math::with_sign_of(math::magnitude_of(x), y);
}
template <typename T>
ACLHOST_INLINE bool sign_bit(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0;
  } else if constexpr (kIsNarrow<T>) {
    return x.bits >> 15 != 0;
  } else {
    return (math::bits_of(x) & math::kSignBit<T>) != 0;
  }
}
template <typename T>
ACLHOST_INLINE T reciprocal(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return 1 / x;
  } else {
    return Complex<decltype(x.real)>{1, 0} / x;
  }
}

// Infinity has no sine.
template <typename T>
ACLHOST_INLINE T sinc(T x) {
  return math::sinc(x) + (x - x);
}

// NaN wins.
template <typename T>
ACLHOST_INLINE T minimum(T x, T y) {
  const T lesser = x < y ? x : y;
  return x != x ? x : lesser;
}
template <typename T>
ACLHOST_INLINE T maximum(T x, T y) {
  const T greater = x > y ? x : y;
  return x != x ? x : greater;
}

template <typename T>
ACLHOST_INLINE bool is_nan(T x) {
  if constexpr (kIsNarrow<T>) {
    return magnitude_bits(x) > kInfinityBits<T>;
  } else {
    return x != x;
  }
}
template <typename T>
ACLHOST_INLINE bool is_infinite(T x) {
  if constexpr (kIsNarrow<T>) {
    return magnitude_bits(x) == kInfinityBits<T>;
  } else {
    return math::magnitude_of(x) == math::kInfinity<T>;
  }
}
template <typename T>
ACLHOST_INLINE bool is_finite(T x) {
  if constexpr (kIsNarrow<T>) {
    return magnitude_bits(x) < kInfinityBits<T>;
  } else {
    return math::magnitude_of(x) < math::kInfinity<T>;
  }
}

template <typename T>
ACLHOST_INLINE T select(bool condition, T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return (condition & x) | (!condition & y);  // a choice between bools does not vectorise
  } else {
    return condition ? x : y;
  }
}

// From one of the types that loops know to another: Note [Casts].
template <typename To, typename From>
ACLHOST_INLINE To cast(From from) {
  if constexpr (kIsComplex<To>) {
    return to_complex<To>(from);
  } else if constexpr (kIsComplex<From>) {
    if constexpr (std::is_same_v<To, bool>) {
      return cast<bool>(from.real) | cast<bool>(from.imaginary);
    } else {
      return cast<To>(from.real);
    }
  } else if constexpr (kIsNarrow<From>) {
    static_assert(std::is_same_v<To, bool>, "other casts go through float");
    return magnitude_bits(from) != 0;
  } else if constexpr (std::is_same_v<To, bool>) {
    return cast_value<Bool>(from).byte != 0;
  } else if constexpr (std::is_same_v<From, bool>) {
    return from ? To{1} : To{0};
  } else {
    return cast_value<To>(from);
  }
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
