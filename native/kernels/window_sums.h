// SPDX-License-Identifier: Apache-2.0
// Sums over windows of rows.
//
// Note [Order of sums]
// An element of the gradient is the sum of its window, taken depth by depth, row by row and along
// the row, each element added to the sum of those before it, in ComputeType<T>. Everything here
// keeps to that: lanes are different windows, or windows to be. It is rounded once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/memory.h"
#include "kernels/simd.h"
#include "kernels/upsample_nearest3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kWindowBlock = 1024;  // windows at a time
constexpr int64_t kSpan = 2048;         // elements of a row under short windows, at a time
constexpr int kLongestShort = 8;
constexpr int kRowsAtOnce = 32;

// The windows of one block along a row.
template <typename T>
struct RowWindows {
  using Sum = ComputeType<T>;
  using Lane = Element<MaskOf<Vector<Sum>>>;  // an integer as wide as a sum
  static constexpr int64_t kSumLanes = kLanes<Sum>;

  enum Kind {
    kSame,   // element k alone
    kPairs,  // elements 2k and 2k + 1
    kShort,  // up to kLongestShort elements each
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
    } else {
      set_short();
    }
  }

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
  Lane filled[kWindowBlock + kSumLanes];  // -1, or 0 where a window is empty

 private:
  void set_short() {
    kind = kShort;
    count = std::min(count, kSpan / std::max<int64_t>(terms, 1));
    span = starts[count];
    reach = padded(span) + std::max<int64_t>(terms - 1, 0);
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = starts[k]; i < starts[k + 1]; ++i) left[i] = starts[k + 1] - i;
      places[k] = starts[k] - starts[k - k % kSumLanes];
      filled[k] = starts[k] < starts[k + 1] ? -1 : 0;
    }
    std::fill_n(left + span, kSumLanes, Lane{0});
    std::fill_n(places + count, kSumLanes, Lane{0});
    std::fill_n(filled + count, kSumLanes, Lane{0});
  }
};

// Two vectors of pairs, as the first ones and the second ones, in the order of even_lanes().
template <typename T>
inline void load_pairs(const char* from, ComputeVector<T>* even, ComputeVector<T>* odd) {
  const auto a = load_widened(reinterpret_cast<const T*>(from));
  const auto b = load_widened(reinterpret_cast<const T*>(from) + kLanes<ComputeType<T>>);
  *even = even_lanes(a, b);
  *odd = odd_lanes(a, b);
}

// Adds the elements of rows to sums. Each adder says what the lanes of a sum are, where they lie in
// a row, and what becomes of them in the end.
template <typename T>
struct AddSame {
  using V = ComputeVector<T>;
  static V add(V sum, const char* row, int64_t lane) {
    return sum + load_widened(reinterpret_cast<const T*>(row) + lane);
  }
  static V finish(V sum) { return sum; }
};

template <typename T>
struct AddPairs {
  using V = ComputeVector<T>;
  static V add(V sum, const char* row, int64_t lane) {
    V even, odd;
    load_pairs<T>(row + 2 * lane * int64_t{sizeof(T)}, &even, &odd);
    return sum + even + odd;
  }
  static V finish(V sum) { return in_order(sum); }
};
// A pair of bfloat16 is one word, of which each half is the upper half of a float.
template <>
inline ComputeVector<BFloat16> AddPairs<BFloat16>::add(V sum, const char* row, int64_t lane) {
  const auto words = load_vector<Vector<uint32_t>>(row + 4 * lane);
  return sum + bit_cast<V>(words << 16) + bit_cast<V>(words & 0xFFFF0000u);
}
template <>
inline ComputeVector<BFloat16> AddPairs<BFloat16>::finish(V sum) {
  return sum;
}

// The window that starts at an element, or the rest of the one that holds it: that is of no use,
// but in the way of nobody, and so no lane is ever moved.
template <typename T>
struct AddShort {
  using V = ComputeVector<T>;
  using Lane = typename RowWindows<T>::Lane;
  V add(V sum, const char* row, int64_t lane) const {
    const T* from = reinterpret_cast<const T*>(row) + lane;
    const auto here = load_vector<MaskOf<V>>(left + lane);
    sum += load_widened(from);
    for (Lane term = 1; term < terms; ++term) {
      sum += here > term ? load_widened(from + term) : V{};  // + 0 changes no sum that began as +0
    }
    return sum;
  }
  const Lane* left;
  Lane terms;
};
template <typename T>
struct AddOneOrTwo {
  using V = ComputeVector<T>;
  V add(V sum, const char* row, int64_t lane) const {
    const T* from = reinterpret_cast<const T*>(row) + lane;
    const auto here = load_vector<MaskOf<V>>(left + lane);
    return sum + load_widened(from) + (here > 1 ? load_widened(from + 1) : V{});
  }
  const typename RowWindows<T>::Lane* left;
};

// Sums the windows of one block over rows that are given one by one.
template <typename T>
class WindowSums {
 public:
  using Sum = ComputeType<T>;
  using V = Vector<Sum>;
  static constexpr int64_t kSumLanes = kLanes<Sum>;

  // Rows may be read up to `limit`. Elements are `step` bytes apart. Sums start from `nothing`.
  WindowSums(int64_t step, const char* limit, Sum nothing)
      : step_(step), limit_(limit), nothing_(nothing) {}

  RowWindows<T> windows;

  void add(const char* row) {
    row += windows.first * step_;
    const bool readable = (step_ == sizeof(T) && row + windows.reach * sizeof(T) <= limit_) ||
                          windows.kind == RowWindows<T>::kLong;
    if (row_count_ == kRowsAtOnce || (row_count_ > 0 && !readable)) add_rows(nullptr);
    rows_[row_count_++] = readable ? row : copied(row);
  }

  // Rounds the sums to `out`, up to a vector more of them than there are.
  void finish(T* out) {
    if (begun_ || row_count_ > 0) {
      add_rows(out);
    } else {
      std::memset(static_cast<void*>(out), 0, windows.count * sizeof(T));
    }
    begun_ = false;
  }

 private:
  using Windows = RowWindows<T>;

  // The row in memory that vectors may read.
  const char* copied(const char* row) {
    if (step_ == sizeof(T)) {
      std::memcpy(copy_, row, windows.span * sizeof(T));
    } else {
      for (int64_t i = 0; i < windows.span; ++i) {
        std::memcpy(copy_ + i * sizeof(T), row + i * step_, sizeof(T));
      }
    }
    std::memset(copy_ + windows.span * sizeof(T), 0, (windows.reach - windows.span) * sizeof(T));
    return copy_;
  }

  void add_rows(T* out) {
    switch (windows.kind) {
      case Windows::kSame:
        return add_vectors<true>(AddSame<T>(), windows.count, out);
      case Windows::kPairs:
        return add_vectors<true>(AddPairs<T>(), windows.count, out);
      case Windows::kShort:
        if (windows.terms <= 2) {
          add_vectors<false>(AddOneOrTwo<T>{windows.left}, windows.span, nullptr);
        } else {
          using Lane = typename Windows::Lane;
          add_vectors<false>(AddShort<T>{windows.left, static_cast<Lane>(windows.terms)},
                             windows.span, nullptr);
        }
        if (out != nullptr) collect_short(out);
        return;
      case Windows::kLong:
        add_long();
        if (out != nullptr) round_sums(out);
        return;
    }
  }

  template <bool lanes_are_windows, typename Adder>
  void add_vectors(const Adder& adder, int64_t lanes, T* out) {
    int64_t lane = 0;
    for (; lane + 3 * kSumLanes < lanes; lane += 4 * kSumLanes) {
      add_block<lanes_are_windows, 4>(adder, lane, out);
    }
    for (; lane + kSumLanes < lanes; lane += 2 * kSumLanes) {
      add_block<lanes_are_windows, 2>(adder, lane, out);
    }
    if (lane < lanes) add_block<lanes_are_windows, 1>(adder, lane, out);
    begun_ = true;
    row_count_ = 0;
  }

  // Several vectors at a time: additions to one and the same wait for each other.
  template <bool lanes_are_windows, int vectors, typename Adder>
  void add_block(const Adder& adder, int64_t lane, T* out) {
    V sums[vectors];
    for (int v = 0; v < vectors; ++v) {
      sums[v] = begun_ ? load_vector<V>(sums_ + lane + v * kSumLanes) : splat<V>(nothing_);
    }
    for (int r = 0; r < row_count_; ++r) {
      for (int v = 0; v < vectors; ++v) {
        sums[v] = adder.add(sums[v], rows_[r], lane + v * kSumLanes);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      if constexpr (lanes_are_windows) {
        if (out != nullptr) {
          store_narrowed(out + lane + v * kSumLanes, adder.finish(sums[v]));
          continue;
        }
      }
      store_vector(sums_ + lane + v * kSumLanes, sums[v]);
    }
  }

  // Takes the lanes in which a window starts.
  void collect_short(T* out) {
    for (int64_t k = 0; k < windows.count; k += kSumLanes) {
      const Sum* from = sums_ + windows.starts[k];
      const auto* places = windows.places + k;
      V picked;
      if (windows.terms <= 2) {
        picked = pick_lanes(from, places);
      } else {
        for (int lane = 0; lane < kSumLanes; ++lane) picked[lane] = from[places[lane]];
      }
      if (windows.some_empty) {
        picked = load_vector<MaskOf<V>>(windows.filled + k) ? picked : V{};
      }
      store_narrowed(out + k, picked);
    }
  }

  void round_sums(T* out) {
    for (int64_t k = 0; k < windows.count; k += kSumLanes) {
      store_narrowed(out + k, load_vector<V>(sums_ + k));
    }
  }

  void add_long() {
    if (!begun_) std::fill_n(sums_, windows.count, nothing_);
    for (int r = 0; r < row_count_; ++r) {
      int64_t window = 0;
      for (int64_t i = 0; i < windows.span; i += kSpan) {
        const int64_t end = std::min(i + kSpan, windows.span);
        widen_run(rows_[r] + i * step_, end - i);
        window = add_widened(i, end, window);
      }
    }
    begun_ = true;
    row_count_ = 0;
  }

  void widen_run(const char* run, int64_t length) {
    int64_t i = 0;
    if (step_ == sizeof(T)) {
      for (; i + kSumLanes <= length; i += kSumLanes) {
        store_vector(widened_ + i, load_widened(reinterpret_cast<const T*>(run) + i));
      }
    }
    for (; i < length; ++i) widened_[i] = widen(load<T>(run + i * step_));
  }

  // Elements [begin, end) of a row, to the windows from number `window` on. Returns the last one.
  int64_t add_widened(int64_t begin, int64_t end, int64_t window) {
    const int64_t* const starts = windows.starts;
    const Sum* const elements = widened_ - begin;
    while (window < windows.count) {
      if (starts[window] >= begin && window + kChains <= windows.count &&
          starts[window + kChains] <= end) {
        add_chains(elements, starts + window, sums_ + window);
        window += kChains;
        continue;
      }
      const int64_t last = std::min(starts[window + 1], end);
      Sum sum = sums_[window];
      for (int64_t i = std::max(starts[window], begin); i < last; ++i) sum += elements[i];
      sums_[window] = sum;
      if (starts[window + 1] > end) break;
      ++window;
    }
    return window;
  }

  // Some windows side by side, because each addition waits for the one before it.
  static constexpr int kChains = 8;
  static void add_chains(const Sum* elements, const int64_t* starts, Sum* sums) {
    int64_t common = starts[1] - starts[0];
    for (int c = 1; c < kChains; ++c) common = std::min(common, starts[c + 1] - starts[c]);
    Sum chains[kChains];
    for (int c = 0; c < kChains; ++c) chains[c] = sums[c];
    for (int64_t i = 0; i < common; ++i) {
      for (int c = 0; c < kChains; ++c) chains[c] += elements[starts[c] + i];
    }
    for (int c = 0; c < kChains; ++c) {
      for (int64_t i = starts[c] + common; i < starts[c + 1]; ++i) chains[c] += elements[i];
      sums[c] = chains[c];
    }
  }

  int64_t step_;
  const char* limit_;
  Sum nothing_;
  bool begun_ = false;  // sums_ holds those of earlier rows
  int row_count_ = 0;
  const char* rows_[kRowsAtOnce];
  alignas(64) Sum sums_[kSpan + 4 * kSumLanes];
  alignas(64) Sum widened_[kSpan];
  alignas(64) char copy_[(kSpan + 4 * kSumLanes) * sizeof(T)];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
