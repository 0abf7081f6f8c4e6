// SPDX-License-Identifier: Apache-2.0
// The windows along a row whose elements are summed, and how they are best summed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/simd.h"
#include "kernels/upsample_nearest3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kWindowBlock = 1024;  // windows at a time
constexpr int64_t kSpan = 2048;         // elements of a row under short windows, at a time
constexpr int kLongestShort = 8;

template <typename T>
using SumVector = Vector<ComputeType<T>>;

// The windows of one block along a row.
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
    kLong,
  };

  // Elements from number `begin` on that are windows each.
  void set_same(int64_t begin, int64_t elements) {
    kind = kSame;
    first = begin;
    count = span = elements;
    reach = padded(count);
  }

  // As many windows from number `begin` on as make a block, at most up to `end`.
  void set(int64_t begin, int64_t end, float factor, int64_t length) {
    count = std::min(end - begin, kWindowBlock);
    first = window_start(begin, factor, length);
    starts[0] = 0;
    int64_t shortest = length, longest = 0;
    for (int64_t k = 0; k < count; ++k) {
      starts[k + 1] = window_start(begin + k + 1, factor, length) - first;
      shortest = std::min(shortest, starts[k + 1] - starts[k]);
      longest = std::max(longest, starts[k + 1] - starts[k]);
    }
    terms = longest;
    some_empty = shortest == 0;
    if (longest > kLongestShort) {
      kind = kLong;
      span = reach = starts[count];
    } else if (shortest == longest && (longest == 1 || longest == 2)) {
      kind = longest == 1 ? kSame : kPairs;
      span = starts[count];
      reach = padded(count) * longest;
    } else if (kPicksSums && longest <= 2) {
      kind = kOneOrTwo;
      span = starts[count];
      reach = starts[(count - 1) / kSumLanes * kSumLanes] + 2 * kSumLanes;
      set_places();
    } else {
      set_short();
    }
  }

  // Two vectors in which all of a vector's windows start, and in which their second elements are.
  static constexpr bool kPicksSums = kPicksLanes<Sum> && kVectorBytes == 64;

  static int64_t padded(int64_t lanes) { return (lanes + kSumLanes - 1) / kSumLanes * kSumLanes; }

  Kind kind;
  int64_t first;  // element of the row, where the first window starts
  int64_t count;  // windows
  int64_t span;   // elements from the first window to the end of the last
  int64_t reach;  // elements that are read: more than there are, because vectors are
  int64_t terms;  // of the longest window
  bool some_empty;
  int64_t starts[kWindowBlock + 1];       // from `first` on
  Lane left[kSpan + kSumLanes];           // elements from here to the end of the window
  Lane places[kWindowBlock + kSumLanes];  // starts, from that of the first in each vector on
  Lane lengths[kWindowBlock + kSumLanes];

 private:
  void set_short() {
    kind = kShort;
    count = std::min(count, kSpan / std::max<int64_t>(terms, 1));
    span = starts[count];
    reach = padded(span) + std::max<int64_t>(terms, 2) - 1;  // two are read of windows of one, too
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = starts[k]; i < starts[k + 1]; ++i) left[i] = starts[k + 1] - i;
    }
    std::fill_n(left + span, kSumLanes, Lane{0});
    set_places();
  }
  void set_places() {
    for (int64_t k = 0; k < count; ++k) {
      places[k] = static_cast<Lane>(starts[k] - starts[k - k % kSumLanes]);
      lengths[k] = static_cast<Lane>(starts[k + 1] - starts[k]);
    }
    std::fill_n(places + count, kSumLanes, Lane{0});
    std::fill_n(lengths + count, kSumLanes, Lane{0});
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
