// SPDX-License-Identifier: Apache-2.0
// A vector of windows and the elements of one more row that belong to them.
#pragma once

#include <cstdint>

#include "kernels/permute.h"
#include "kernels/row_windows.h"
#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Two vectors of pairs, as the first ones and the second ones, in the order of shuffled_evens().
template <typename T>
inline void load_pairs(const char* from, SumVector<T>* even, SumVector<T>* odd) {
  const auto a = load_widened(reinterpret_cast<const T*>(from));
  const auto b = load_widened(reinterpret_cast<const T*>(from) + kLanes<ComputeType<T>>);
  *even = shuffled_evens(a, b);
  *odd = shuffled_odds(a, b);
}

// Adds the elements of rows to sums. Each adder says what the lanes of a sum are, where they lie in
// a row, and what becomes of them in the end.
template <typename T>
struct AddSame {
  using V = SumVector<T>;
  static V add(V sum, const char* row, int64_t lane) {
    return sum + load_widened(reinterpret_cast<const T*>(row) + lane);
  }
  static V finish(V sum) { return sum; }
};

template <typename T>
struct AddPairs {
  using V = SumVector<T>;
  static V add(V sum, const char* row, int64_t lane) {
    V even, odd;
    load_pairs<T>(row + 2 * lane * int64_t{sizeof(T)}, &even, &odd);
    return sum + even + odd;
  }
  static V finish(V sum) { return in_order(sum); }
};
// A pair of bfloat16 is one word, of which each half is the upper half of a float.
template <>
inline SumVector<BFloat16> AddPairs<BFloat16>::add(V sum, const char* row, int64_t lane) {
  const auto words = load_vector<Vector<uint32_t>>(row + 4 * lane);
  return sum + bit_cast<V>(words << 16) + bit_cast<V>(words & 0xFFFF0000u);
}
template <>
inline SumVector<BFloat16> AddPairs<BFloat16>::finish(V sum) {
  return sum;
}

// Windows of up to two elements.
template <typename T>
struct AddOneOrTwo {
  using V = SumVector<T>;
  V add(V sum, const char* row, int64_t lane) const {
    const T* from = reinterpret_cast<const T*>(row) + windows.starts[lane];
    const V low = load_widened(from), high = load_widened(from + kLanes<ComputeType<T>>);
    const auto at = load_vector<MaskOf<V>>(windows.places + lane);
    const auto lengths = load_vector<MaskOf<V>>(windows.lengths + lane);
    sum += lengths > 0 ? pick_lanes(low, high, at) : V{};
    return sum + (lengths > 1 ? pick_lanes(low, high, at + 1) : V{});
  }
  static V finish(V sum) { return sum; }
  const RowWindows<T>& windows;
};

// The window that starts at an element, or the rest of the one that holds it: that is of no use,
// but in the way of nobody, and so no lane is ever moved.
template <typename T, int known_terms>
struct AddShort {
  using V = SumVector<T>;
  using Lane = typename RowWindows<T>::Lane;
  V add(V sum, const char* row, int64_t lane) const {
    const T* from = reinterpret_cast<const T*>(row) + lane;
    const auto here = load_vector<MaskOf<V>>(left + lane);
    sum += load_widened(from);
    for (Lane term = 1; term < (known_terms > 0 ? known_terms : terms); ++term) {
      sum += here > term ? load_widened(from + term) : V{};  // + 0 changes no sum that began as +0
    }
    return sum;
  }
  const Lane* left;
  Lane terms;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
