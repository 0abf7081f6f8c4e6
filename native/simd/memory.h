// SPDX-License-Identifier: Apache-2.0
// Elements in memory that belongs to a client, which is aligned as the client likes.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The unsigned integer that is as wide as an element.
template <int bytes>
struct BitsOfWidth;
template <>
struct BitsOfWidth<1> {
  using type = uint8_t;
};
template <>
struct BitsOfWidth<2> {
  using type = uint16_t;
};
template <>
struct BitsOfWidth<4> {
  using type = uint32_t;
};
template <>
struct BitsOfWidth<8> {
  using type = uint64_t;
};
template <typename T>
using BitsOf = typename BitsOfWidth<sizeof(T)>::type;

constexpr int64_t kLineBytes = 64;

// Memory that is read later comes closer, though not into the smallest cache: the second-level
// cache waits for about twice as many lines at once. Memory that does not exist does no harm.
inline void prefetch(uintptr_t later) {
  __builtin_prefetch(reinterpret_cast<const void*>(later), 0, 2);
}
inline void prefetch_run(uintptr_t later, int64_t bytes) {
  for (int64_t byte = 0; byte < bytes; byte += kLineBytes) prefetch(later + byte);
}

template <typename T>
T load(const char* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T>
void store(char* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
