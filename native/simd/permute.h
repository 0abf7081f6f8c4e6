// SPDX-License-Identifier: Apache-2.0
// Vectors taken apart and put together: what windows of stride 2 and pairs of words need.
#pragma once

#include <utility>

#include "simd/simd.h"

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

template <int flip, int kept, typename V, int... i>
inline V of_pairs(V v, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(v, v, ((i & kept) ^ flip)...);
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

// The same in an order of its own, which all such vectors share and which costs one shuffle rather
// than two. in_order() puts it right, once that is all the same to the result.
namespace permute_detail {

// Shuffles work inside of 16 bytes at a time, on x86 at least.
template <typename V>
constexpr int kLanesOfPart = 16 / static_cast<int>(sizeof(Element<V>));

template <typename V>
constexpr int shuffled_lane(int lane, int first) {
  constexpr int part = kLanesOfPart<V>, half = part / 2;
  const int place = lane % part;
  return (place < half ? 0 : kLanesOf<V>)+lane / part * part + place % half * 2 + first;
}

template <int first, typename V, int... i>
inline V shuffled_half(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, shuffled_lane<V>(i, first)...);
}

template <typename V, int... i>
inline V evens_then_odds(V v, std::integer_sequence<int, i...>) {
  constexpr int half = kLanesOf<V> / 2;
  return __builtin_shufflevector(v, v, (i % half * 2 + i / half)...);
}

}  // namespace permute_detail

template <typename V>
inline V shuffled_evens(V a, V b) {
  return permute_detail::shuffled_half<0>(a, b, permute_detail::EachLane<V>{});
}
template <typename V>
inline V shuffled_odds(V a, V b) {
  return permute_detail::shuffled_half<1>(a, b, permute_detail::EachLane<V>{});
}
template <typename V>
inline V in_order(V shuffled) {
  if constexpr (sizeof(V) == 16) return shuffled;
  using Words = Vector<uint64_t, sizeof(V) / sizeof(uint64_t)>;
  return bit_cast<V>(permute_detail::evens_then_odds(bit_cast<Words>(shuffled),
                                                     permute_detail::EachLane<Words>{}));
}

// Of pairs beside each other, a0 b0 a1 b1 ...: a0 a0 a1 a1 ..., b0 b0 b1 b1 ..., b0 a0 b1 a1 ...
template <typename V>
inline V real_parts(V v) {
  return permute_detail::of_pairs<0, ~1>(v, permute_detail::EachLane<V>{});
}
template <typename V>
inline V imaginary_parts(V v) {
  return permute_detail::of_pairs<1, ~1>(v, permute_detail::EachLane<V>{});
}
template <typename V>
inline V swapped_parts(V v) {
  return permute_detail::of_pairs<1, ~0>(v, permute_detail::EachLane<V>{});
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
