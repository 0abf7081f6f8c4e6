// SPDX-License-Identifier: Apache-2.0
// The windows along a row whose elements are summed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/resize/nearest.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kSpan = 2048;  // elements of a row that are looked at together
constexpr int kLongestShort = 8;

template <typename T>
using SumVector = Vector<ComputeType<T>>;

// Some windows that follow each other, one block of a row.
template <typename T>
struct RowWindows {
  using Sum = ComputeType<T>;
  using Lane = Element<MaskOf<Vector<Sum>>>;  // an integer as wide as a sum
  static constexpr int64_t kSumLanes = kLanes<Sum>;

  enum Kind {
    kSame,      // element k alone
    kPairs,     // elements 2k and 2k + 1
    kOneOrTwo,  // or none; only where lanes are picked cheaply
    kShort,     // up to kLongestShort elements each
    kAny,
  };

  // Elements from number `begin` on that are windows each.
  void set_same(int64_t begin, int64_t elements) {
    kind = kSame;
    first = begin;
    count = span = elements;
  }

  // As many windows from number `begin` on as make a block, at most up to `end`.
  void set(int64_t begin, int64_t end, const Factor& factor, int64_t length) {
    if (has_whole_windows(factor, end, length)) {
      const int64_t terms = factor.scale == 1 ? 1 : 2;
      kind = terms == 1 ? kSame : kPairs;
      first = terms * begin;
      count = std::min(end - begin, kSpan / terms);
      span = terms * count;
      return;
    }
    first = window_start(begin, factor, length);
    count = span = starts[0] = 0;
    int64_t longest = 0;
    while (count < std::min(end - begin, kSpan)) {
      const int64_t next = window_start(begin + count + 1, factor, length) - first;
      if (next > kSpan && count > 0) break;
      longest = std::max(longest, next - span);
      starts[++count] = static_cast<Lane>(next);
      span = next;
    }
    std::fill_n(starts + count + 1, kSumLanes, starts[count]);
    kind = longest > kLongestShort ? kAny : longest <= 2 && kPicksLanes<Sum> ? kOneOrTwo : kShort;
    if (kind == kShort) set_left(longest);
  }

  Kind kind;
  int64_t first;  // element of the row, where the first window starts
  int64_t count;  // windows; a single one may be longer than kSpan
  int64_t span;   // elements from the first window to the end of the last
  // From `first` on, that of the window after the last included, which then repeats. Not for kSame
  // and kPairs.
  Lane starts[kSpan + 1 + kSumLanes];
  // For kShort.
  Lane terms;                    // of the longest window
  Lane left[kSpan + kSumLanes];  // elements from here to the end of the window

 private:
  void set_left(int64_t longest) {
    terms = static_cast<Lane>(longest);
    for (int64_t k = 0; k < count; ++k) {
      for (Lane i = starts[k]; i < starts[k + 1]; ++i) left[i] = starts[k + 1] - i;
    }
    std::fill_n(left + span, kSumLanes, Lane{0});
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
