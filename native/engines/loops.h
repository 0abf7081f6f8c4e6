// SPDX-License-Identifier: Apache-2.0
// What generated loops are made of besides native/simd/math.h; NumPy's side of it is
// src/aclhost/spec/numpy_functions.py.
//
// Every operand is defined: a remainder by 0 is the dividend; loops_integers.h says more.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engines/cast_values.h"
#include "engines/loops_complex.h"
#include "engines/loops_integers.h"
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

// A quotient without its fraction. Vectors of integers are not divided, those of floating-point
// numbers are: a type with bits to spare cannot round a quotient up to the next whole number.
template <typename T>
ACLHOST_INLINE T whole_quotient(T x, T divisor) {
  if constexpr (sizeof(T) <= 2) {
    return static_cast<T>(
        static_cast<int32_t>(static_cast<float>(x) / static_cast<float>(divisor)));
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<T>(static_cast<double>(x) / static_cast<double>(divisor));
  } else {
    return static_cast<T>(x / divisor);
  }
}
template <typename T>
ACLHOST_INLINE T rest_of(T x, T divisor) {
  return static_cast<T>(x - whole_quotient(x, divisor) * divisor);
}
// The same of 64 bits, where both are below 2^51: Note [Near operands]. As the last bits of 2^52,
// since few processors convert 64-bit integers.
template <typename T>
ACLHOST_INLINE bool rest_is_near(T x, T divisor) {
  constexpr uint64_t kLess = std::is_signed_v<T> ? uint64_t{1} << 51 : 0;
  return sizeof(T) < 8 ||
         (((static_cast<uint64_t>(x) + kLess) | (static_cast<uint64_t>(divisor) + kLess)) >>
          (std::is_signed_v<T> ? 52 : 51)) == 0;
}
template <typename T>
ACLHOST_INLINE T rest_near(T x, T divisor) {
  if constexpr (sizeof(T) < 8) {
    return rest_of(x, divisor);
  } else {
    constexpr double kZero = 0x1.8p52;
    constexpr uint64_t kZeroBits = 0x4338000000000000;
    const double above = math::from_bits(static_cast<uint64_t>(x) + kZeroBits) - kZero;
    const double below = math::from_bits(static_cast<uint64_t>(divisor) + kZeroBits) - kZero;
    const double rest = above - math::trunc(above / below) * below;
    return static_cast<T>(math::bits_of(rest + kZero) - kZeroBits);
  }
}

template <typename T>
ACLHOST_INLINE T trunc_divide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::trunc(x / y);
  } else {
    return special_quotient(x, y, whole_quotient(x, safe_divisor(y)));
  }
}
template <typename T>
ACLHOST_INLINE T floor_divide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::floor(x / y);
  } else {
    const T divisor = safe_divisor(y), quotient = whole_quotient(x, divisor);
    const T rest = static_cast<T>(x - quotient * divisor);
    const bool inexact_below = rest != 0 && (rest < 0) != (divisor < 0);
    return special_quotient(x, y, static_cast<T>(quotient - inexact_below));
  }
}

template <typename T>
ACLHOST_INLINE T fmod(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::fmod(x, y);
  } else {
    return y == 0 ? x : rest_of(x, safe_divisor(y));
  }
}
template <typename T>
ACLHOST_INLINE T with_sign_of_divisor(T rest, T x, T y) {
  const T same_sign = rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
  return y == 0 ? x : same_sign;
}
template <typename T>
ACLHOST_INLINE T remainder(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return math::remainder(x, y);
  } else {
    return with_sign_of_divisor(rest_of(x, safe_divisor(y)), x, y);
  }
}
template <typename T>
ACLHOST_INLINE bool fmod_is_near(T x, T y) {
  return rest_is_near(x, y);
}
template <typename T>
ACLHOST_INLINE T fmod_near(T x, T y) {
  const T rest = rest_near(x, safe_divisor(y));
  return y == 0 ? x : rest;
}
template <typename T>
ACLHOST_INLINE bool remainder_is_near(T x, T y) {
  return rest_is_near(x, y);
}
template <typename T>
ACLHOST_INLINE T remainder_near(T x, T y) {
  return with_sign_of_divisor(rest_near(x, safe_divisor(y)), x, y);
}

// Note [Near operands]
// Remainders with a huge quotient or of huge integers, huge angles of double, powers of integers
// and functions of complex numbers take branches, so loops over them do not vectorise. Where
// all_near says that a chunk has none of these operands, fmod_near, sin_near and so on give the
// same bits and do. The operands are pointers or numbers.
constexpr int64_t kChunk = 1024;
template <typename T>
ACLHOST_INLINE T element(const T* x, int64_t i) {
  return x[i];
}
template <typename T>
ACLHOST_INLINE T element(T x, int64_t) {
  return x;
}
template <typename T, typename... Operands>
inline bool all_near(int64_t first, int64_t last, Operands... x) {
  math::BitsOf<T> far = 0;
  for (int64_t i = first; i < last; ++i) far |= math::is_near(element(x, i)...) ? 0 : 1;
  return far == 0;
}

// The same by a question of its own about the element at i.
template <typename Word, typename IsNear>
ACLHOST_INLINE bool all_of(int64_t first, int64_t last, const IsNear& is_near) {
  Word far = 0;
  for (int64_t i = first; i < last; ++i) far |= is_near(i) ? Word{0} : Word{1};
  return far == 0;
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

template <typename T>
ACLHOST_INLINE T power(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return integer_power(x, y);
  } else {
    return math::pow(x, y);
  }
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
    return inverse(x);
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
