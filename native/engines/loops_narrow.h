// SPDX-License-Identifier: Apache-2.0
// What loops do with 16-bit floats as they are stored: functions that look at bits only. All others
// compute in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

ACLHOST_INLINE Half operator-(Half x) { return {static_cast<uint16_t>(x.bits ^ 0x8000)}; }
ACLHOST_INLINE BFloat16 operator-(BFloat16 x) { return {static_cast<uint16_t>(x.bits ^ 0x8000)}; }

namespace loops {

template <typename T>
constexpr bool kIsNarrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Of a narrow number without its sign; those of NaN are more than those of infinity.
template <typename T>
ACLHOST_INLINE uint16_t magnitude_bits(T x) {
  return x.bits & 0x7fff;
}
template <typename T>
constexpr uint16_t kInfinityBits = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
