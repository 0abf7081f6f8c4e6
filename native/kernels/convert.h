// SPDX-License-Identifier: Apache-2.0
// Conversions between the floating types, exact and portable.
//
// Everything rounds to nearest even; overflow becomes infinity, NaN stays NaN and keeps its sign.
// Written with selects rather than branches, so that loops over these functions vectorise, and
// without subnormal operands, so that a caller's flush-to-zero mode changes nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename To, typename From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

inline float half_to_float(uint16_t half) {
  constexpr uint32_t kRebias = (127u - 15u) << 23;
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t magnitude = (half & 0x7FFFu) << 13;
  const uint32_t exponent = magnitude & 0x0F800000u;
  // A subnormal is m * 2^-24. With the exponent of 2^-14 put in front of m it becomes
  // 2^-14 + m * 2^-24, a normal number, and the subtraction is exact.
  constexpr uint32_t kSmallestNormal = 113u << 23;
  const float subnormal = bit_cast<float>(magnitude + kSmallestNormal) - 0x1p-14f;
  uint32_t bits = magnitude + kRebias;
  bits = exponent == 0x0F800000u ? bits + kRebias : bits;
  bits = exponent == 0 ? bit_cast<uint32_t>(subnormal) : bits;
  return bit_cast<float>(bits | sign);
}

inline uint16_t float_to_half(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t normal =
      (magnitude - ((127u - 15u) << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // The spacing of floats just above 0.5 is 2^-24, the smallest half: the addition rounds.
  const uint32_t small = magnitude < 0x38800000u ? magnitude : 0u;
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(small) + 0.5f) - 0x3F000000u;
  uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  half = magnitude >= 0x47800000u ? 0x7C00u : half;  // 65536; 65520 and up carry over by themselves
  half = magnitude > 0x7F800000u ? 0x7E00u | ((magnitude >> 13) & 0x1FFu) : half;
  return static_cast<uint16_t>(half | sign);
}

inline float bf16_to_float(uint16_t bf16) { return bit_cast<float>(uint32_t{bf16} << 16); }

inline uint16_t float_to_bf16(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x0040u;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet_nan : rounded);
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

inline uint16_t double_to_half(double value) { return float_to_half(round_to_odd(value)); }
inline uint16_t double_to_bf16(double value) { return float_to_bf16(round_to_odd(value)); }

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
inline float widen(const Half& value) { return half_to_float(value.bits); }
inline float widen(const BFloat16& value) { return bf16_to_float(value.bits); }

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
  static Half from(float value) { return {float_to_half(value)}; }
  static Half from(double value) { return {double_to_half(value)}; }
};
template <>
struct Narrow<BFloat16> {
  static BFloat16 from(float value) { return {float_to_bf16(value)}; }
  static BFloat16 from(double value) { return {double_to_bf16(value)}; }
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
