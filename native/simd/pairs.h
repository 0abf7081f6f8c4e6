// SPDX-License-Identifier: Apache-2.0
// Elements two vectors at a time, for operators that compute every element by itself.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "simd/permute.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Two vectors of neighbouring elements, in an order that belongs to the type.
template <typename T>
struct Pair {
  Vector<ComputeType<T>> first;
  Vector<ComputeType<T>> second;
};

// Where a lane of the first and of the second vector stands among the pair's elements.
template <typename T>
constexpr int place_of_first(int lane) {
  return std::is_same_v<T, BFloat16> ? 2 * lane : lane;
}
template <typename T>
constexpr int place_of_second(int lane) {
  return std::is_same_v<T, BFloat16> ? 2 * lane + 1 : kLanes<ComputeType<T>> + lane;
}

template <typename T>
inline Pair<T> load_pair(const T* from) {
  return {load_widened(from), load_widened(from + kLanes<ComputeType<T>>)};
}

// The elements of a pair in one vector.
inline Vector<uint16_t> pack(const Pair<Half>& pair) {
  return join(narrow_to_half(pair.first), narrow_to_half(pair.second),
              std::make_integer_sequence<int, 2 * kLanes<float>>{});
}

// The even elements come first, then the odd ones: so none has to change its place.
inline Pair<BFloat16> load_pair(const BFloat16* from) {
  const auto both = load_vector<Vector<uint32_t>>(from);
  return {bit_cast<Vector<float>>(both << 16), bit_cast<Vector<float>>(both & 0xFFFF0000u)};
}
inline Vector<uint32_t> pack(const Pair<BFloat16>& pair) {
  const auto even = computed_to_bf16<Vector<uint32_t>>(pair.first) >> 16;
  const auto odd = computed_to_bf16<Vector<uint32_t>>(pair.second) & 0xFFFF0000u;
  return even | odd;
}

// As many numbers as fill a vector once they are rounded to T, in their order.
template <typename T, typename Real>
inline auto load_narrowed(const Real* from) {
  const auto first = load_vector<Vector<Real>>(from);
  if constexpr (std::is_same_v<T, Real>) {
    return first;
  } else {
    const auto second = load_vector<Vector<Real>>(from + kLanes<Real>);
    if constexpr (std::is_same_v<T, Half>) {
      return pack(Pair<Half>{first, second});
    } else {
      using Upper = Vector<uint16_t>;
      return odds(bit_cast<Upper>(float_to_bf16<Vector<uint32_t>>(first)),
                  bit_cast<Upper>(float_to_bf16<Vector<uint32_t>>(second)));
    }
  }
}

// Where results go: to memory anywhere, or past the cache to memory aligned like a vector.
struct Store {
  template <typename V>
  static void vector(void* to, V vector) {
    store_vector(to, vector);
  }
};
struct Stream {
  template <typename V>
  static void vector(void* to, V vector) {
    stream_vector(to, vector);
  }
};

template <typename Way, typename T>
inline void put_pair(T* to, const Pair<T>& pair) {
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    Way::vector(to, pair.first);
    Way::vector(to + kLanes<T>, pair.second);
  } else if constexpr (std::is_same_v<T, Half> && std::is_same_v<Way, Store>) {
    store_narrowed(to, pair.first);
    store_narrowed(to + kLanes<float>, pair.second);
  } else {
    Way::vector(to, pack(pair));
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
