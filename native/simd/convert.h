// SPDX-License-Identifier: Apache-2.0
// Conversions between the floating types, exact and portable.
//
// Everything rounds to nearest even; overflow becomes infinity, NaN stays NaN and keeps its sign.
// Written with selects rather than branches, so that loops over these functions vectorise, and
// without subnormal operands, so that a caller's flush-to-zero mode changes nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename To, typename From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
  if constexpr (std::is_arithmetic_v<To>) {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  } else {
    return (To)from;  // of a vector; g++ 12 would copy it through memory
  }
}

// The conversions below take and give bit patterns in 32-bit words: one, or a vector of them.
template <typename Float, typename Word>
inline Float half_to_float(Word half) {
  constexpr uint32_t kRebias = (127u - 15u) << 23;
  const Word sign = (half & 0x8000u) << 16;
  const Word magnitude = (half & 0x7FFFu) << 13;
  const Word exponent = magnitude & 0x0F800000u;
  // A subnormal is m * 2^-24. With the exponent of 2^-14 put in front of m it becomes
  // 2^-14 + m * 2^-24, a normal number, and the subtraction is exact.
  constexpr uint32_t kSmallestNormal = 113u << 23;
  const Float subnormal = bit_cast<Float>(magnitude + kSmallestNormal) - 0x1p-14f;
  Word bits = magnitude + kRebias;
  bits = exponent == 0x0F800000u ? bits + kRebias : bits;
  bits = exponent == 0u ? bit_cast<Word>(subnormal) : bits;
  return bit_cast<Float>(bits | sign);
}

template <typename Word, typename Float>
inline Word float_to_half(Float value) {
  const Word bits = bit_cast<Word>(value);
  const Word sign = (bits >> 16) & 0x8000u;
  const Word magnitude = bits & 0x7FFFFFFFu;
  const Word normal = (magnitude - ((127u - 15u) << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // The spacing of floats just above 0.5 is 2^-24, the smallest half: the addition rounds.
  const Word small = magnitude < 0x38800000u ? magnitude : magnitude & 0u;
  const Word subnormal = bit_cast<Word>(bit_cast<Float>(small) + 0.5f) - 0x3F000000u;
  const Word infinity = (magnitude & 0u) + 0x7C00u;
  Word half = magnitude < 0x38800000u ? subnormal : normal;
  half =
      magnitude >= 0x47800000u ? infinity : half;  // 65536; 65520 and up carry over by themselves
  half = magnitude > 0x7F800000u ? 0x7E00u | ((magnitude >> 13) & 0x1FFu) : half;
  return half | sign;
}

// In the upper half of the word; what the lower half holds is of no use. NaN must have 0 there, as
// all that arithmetic makes of BFLOAT16 numbers has.
template <typename Word, typename Float>
inline Word computed_to_bf16(Float value) {
  const Word bits = bit_cast<Word>(value);
  return bits + 0x7FFFu + ((bits >> 16) & 1u);
}

// For scalars, where the client chose the bits of a NaN: any that arithmetic brings forth will do.
inline float without_nan_bits(float value) {
  return value == value ? value : std::numeric_limits<float>::quiet_NaN();
}

// The same for every float.
template <typename Word, typename Float>
inline Word float_to_bf16(Float value) {
  const Word bits = bit_cast<Word>(value);
  return value == value ? computed_to_bf16<Word>(value) : bits | 0x00400000u;
}

// Narrows towards the neighbour with an odd last bit unless exact. Rounding that to an even shorter
// type gives what rounding the double directly would have given.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  uint32_t bits = bit_cast<uint32_t>(nearest);
  const uint64_t away = bit_cast<uint64_t>(back) & ~(uint64_t{1} << 63);
  const uint64_t wanted = bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
  bits -= away > wanted ? 1u : 0u;  // truncate towards zero, from infinity too
  bits |= away != wanted ? 1u : 0u;
  return value == value ? bit_cast<float>(bits) : nearest;
}

// The element types of tensors that C++ has no name for.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
template <typename Part>
struct Complex {
  Part real;
  Part imaginary;
};

// The type an element is computed in: float, or double for double.
inline float widen(float value) { return value; }
inline double widen(double value) { return value; }
inline float widen(const Half& value) { return half_to_float<float>(uint32_t{value.bits}); }
inline float widen(const BFloat16& value) { return bit_cast<float>(uint32_t{value.bits} << 16); }

template <typename T>
using ComputeType = decltype(widen(T{}));

// The one rounding from a computed value to an element type.
template <typename To>
struct Narrow {
  template <typename From>
  static To from(From value) {
    return static_cast<To>(value);
  }
};
template <>
struct Narrow<Half> {
  static Half from(float value) { return {static_cast<uint16_t>(float_to_half<uint32_t>(value))}; }
  static Half from(double value) { return from(round_to_odd(value)); }
};
template <>
struct Narrow<BFloat16> {
  static BFloat16 from(float value) {
    return {static_cast<uint16_t>(float_to_bf16<uint32_t>(value) >> 16)};
  }
  static BFloat16 from(double value) { return from(round_to_odd(value)); }
};
template <typename Part>
struct Narrow<Complex<Part>> {
  template <typename From>
  static Complex<Part> from(From value) {
    return {Narrow<Part>::from(value), Part{}};
  }
};

// From one element type to another; the same type is copied bit by bit.
template <typename To, typename From>
inline To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    return Narrow<To>::from(widen(from));
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
