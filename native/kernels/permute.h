// SPDX-License-Identifier: Apache-2.0
// Vectors taken apart and put together: what windows of stride 2 and pairs of words need.
#pragma once

#include <utility>

#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace permute_detail {

template <typename V>
constexpr int kLanesOf = sizeof(V) / sizeof(Element<V>);

template <int first, typename V, int... i>
inline V every_second(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (first + 2 * i)...);
}

template <int first, typename V, int... i>
inline V alternate(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (first + i / 2 + i % 2 * kLanesOf<V>)...);
}

template <typename V>
using EachLane = std::make_integer_sequence<int, kLanesOf<V>>;

}  // namespace permute_detail

// Of the elements of a and then b, those at even or odd places.
template <typename V>
inline V evens(V a, V b) {
  return permute_detail::every_second<0>(a, b, permute_detail::EachLane<V>{});
}
template <typename V>
inline V odds(V a, V b) {
  return permute_detail::every_second<1>(a, b, permute_detail::EachLane<V>{});
}

// a0 b0 a1 b1 ...: the first and the second half of it.
template <typename V>
inline V interleave_low(V a, V b) {
  return permute_detail::alternate<0>(a, b, permute_detail::EachLane<V>{});
}
template <typename V>
inline V interleave_high(V a, V b) {
  constexpr int half = permute_detail::kLanesOf<V> / 2;
  return permute_detail::alternate<half>(a, b, permute_detail::EachLane<V>{});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
