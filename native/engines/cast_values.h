// SPDX-License-Identifier: Apache-2.0
// Note [Casts] for single values, in the form that loops over it vectorise.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "simd/convert.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct Bool {
  uint8_t byte;
};

// A float that was rounded to odd, for a second rounding: see round_to_odd().
struct OddFloat {
  float value;
};

namespace cast_detail {

// The nearest integer towards zero that the type holds; NaN becomes 0.
template <typename Integer, typename Float>
inline Integer truncate(Float value) {
  constexpr Integer kMost = std::numeric_limits<Integer>::max();
  constexpr Float kLimit = static_cast<Float>(kMost / 2 + 1) * 2;  // one above the largest
#if defined(__x86_64__)
  // The processor gives the smallest integer for all that does not fit.
  if constexpr (std::is_signed_v<Integer>) {
    const auto whole = static_cast<Integer>(value);
    const Integer most = value >= kLimit ? kMost : whole;
    return value == value ? most : 0;
  }
#endif
  constexpr Float kLeast = std::is_signed_v<Integer> ? -kLimit : 0;
  Float inside = value == value ? value : 0;
  inside = inside < kLeast ? kLeast : inside;
  const bool too_large = inside >= kLimit;
  const auto whole = static_cast<Integer>(too_large ? 0 : inside);
  return too_large ? kMost : whole;
}

template <typename To, typename Float>
inline To to_integer(Float value) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    const auto negative = static_cast<uint64_t>(truncate<int64_t>(value));
    return value < 0 ? negative : truncate<uint64_t>(value);
  } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
    return static_cast<To>(truncate<int64_t>(value));
  } else {
    return static_cast<To>(truncate<int32_t>(value));
  }
}

// Of digits beyond those that the float has, the last one before them tells whether there are any.
template <typename Float, typename Integer>
inline Float to_odd(Integer value) {
  constexpr int kDigits = std::numeric_limits<Float>::digits;
  constexpr Integer kExact = Integer{1} << kDigits;
  constexpr Integer kRest = (Integer{1} << (8 * sizeof(Integer) - kDigits)) - 1;
  const Integer odd = (value & ~kRest) | ((value & kRest) != 0 ? kRest + 1 : 0);
  const bool exact = value <= kExact && (std::is_unsigned_v<Integer> || value >= -kExact);
  return static_cast<Float>(exact ? value : odd);
}

// round_to_odd() for doubles that are not below the smallest normal float, unless they are 0.
inline float round_normal_to_odd(double value) {
  constexpr uint64_t kRest = (uint64_t{1} << 29) - 1;
  const uint64_t bits = bit_cast<uint64_t>(value);
  return static_cast<float>(
      bit_cast<double>((bits & ~kRest) | ((bits & kRest) != 0 ? kRest + 1 : 0)));
}
inline bool is_normal_float_or_0(double value) {
  const uint64_t magnitude = bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
  return magnitude - 1 >= bit_cast<uint64_t>(0x1p-126) - 1;
}

// Without a comparison of floats, for which subnormal numbers may count as 0.
template <typename From>
inline bool is_nonzero(From value) {
  if constexpr (std::is_integral_v<From>) {
    return value != 0;
  } else if constexpr (std::is_same_v<From, Bool>) {
    return value.byte != 0;
  } else {
    BitsOf<From> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<BitsOf<From>>(bits << 1) != 0;
  }
}

}  // namespace cast_detail

// Among BOOL, integers, float and double; to OddFloat from those of 32 and 64 bits; 16-bit floats
// to BOOL.
template <typename To, typename From>
inline To cast_value(From value) {
  if constexpr (std::is_same_v<To, Bool>) {
    return {cast_detail::is_nonzero(value)};
  } else if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(value.byte != 0);
  } else if constexpr (std::is_same_v<To, OddFloat>) {
    if constexpr (std::is_integral_v<From> && sizeof(From) == 4) {
      return {cast_detail::to_odd<float>(value)};
    } else if constexpr (std::is_integral_v<From>) {
      return {cast_detail::round_normal_to_odd(cast_detail::to_odd<double>(value))};
    } else {
      return {round_to_odd(value)};
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return cast_detail::to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
