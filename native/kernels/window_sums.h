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
#include "kernels/permute.h"
#include "kernels/simd.h"
#include "kernels/upsample_nearest3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kWindowBlock = 1024;  // windows at a time
constexpr int64_t kSpan = 2048;         // elements of a row under short windows, at a time
constexpr int kLongestShort = 8;
constexpr int kRowsAtOnce = 32;

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
// Rows that are summed to one: `counts` of them along three axes, in the order of Note [Order of
// sums].
struct RowBox {
  const char* data;
  int64_t counts[3];
  int64_t strides[3];

  int64_t rows() const { return counts[0] * counts[1] * counts[2]; }
  const char* last() const {  // in memory
    const char* last = data;
    for (int i = 0; i < 3; ++i) last += std::max<int64_t>(strides[i], 0) * (counts[i] - 1);
    return last;
  }
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const char* plane = data;
    for (int64_t i = 0; i < counts[0]; ++i, plane += strides[0]) {
      const char* line = plane;
      for (int64_t j = 0; j < counts[1]; ++j, line += strides[1]) {
        const char* row = line;
        for (int64_t k = 0; k < counts[2]; ++k, row += strides[2]) visit(row);
      }
    }
  }
};

// Sums the windows of one block.
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

  // Rounds the sums over some rows to `out`, up to a vector more of them than there are. A row is
  // where its first element is, not that of the first window.
  void sum(const RowBox& box, T* out) {
    if (box.rows() == 0) {
      std::memset(static_cast<void*>(out), 0, windows.count * sizeof(T));
    } else if (windows.kind == Windows::kLong) {
      sum_long(box, out);
    } else {
      sum_vectors(box, out);
    }
  }

 private:
  using Windows = RowWindows<T>;

  // Rows that are added in one go, so that their sums stay in registers. Mostly, they lie to each
  // other as some did before.
  struct RowList {
    bool is_of(const RowBox& box) const {
      return counts[0] == box.counts[0] && counts[1] == box.counts[1] && counts[2] == box.counts[2];
    }
    void set(const RowBox& box) {
      count = 0;
      last = box.last() - box.data;
      std::copy_n(box.counts, 3, counts);
      box.for_each([&](const char* row) { offsets[count++] = row - box.data; });
    }
    int count = 0;
    int64_t last = 0;  // the offset that is largest
    int64_t counts[3] = {0, 0, 0};
    int64_t offsets[kRowsAtOnce];
  };

  void sum_vectors(const RowBox& box, T* out) {
    const char* const data = box.data + windows.first * step_;
    RowList& list = list_for(box);
    if (!list.is_of(box)) {
      if (box.rows() > kRowsAtOnce) return sum_row_by_row(box, out);
      list.set(box);
    }
    if (step_ != sizeof(T) || data + list.last + windows.reach * int64_t{sizeof(T)} > limit_) {
      return sum_row_by_row(box, out);
    }
    add_rows<true>(data, list, out);
    if (windows.kind == Windows::kShort) collect_short(out);
  }

  // The windows of an axis have one of two lengths that follow each other, mostly.
  RowList& list_for(const RowBox& box) {
    return lists_[(box.counts[0] & 1) * 4 + (box.counts[1] & 1) * 2 + (box.counts[2] & 1)];
  }

  void sum_row_by_row(const RowBox& box, T* out) {
    const int64_t lanes = windows.kind == Windows::kShort ? windows.span : windows.count;
    std::fill_n(sums_, Windows::padded(lanes), nothing_);
    RowList single;
    single.count = 1;
    single.offsets[0] = 0;
    box.for_each([&](const char* row) {
      add_rows<false>(copied(row + windows.first * step_), single, nullptr);
    });
    if (windows.kind == Windows::kShort) {
      collect_short(out);
    } else {
      round_sums(out);
    }
  }

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

  // Adds to new sums, or to sums_. New ones that are complete are rounded to `out`.
  template <bool fresh>
  void add_rows(const char* data, const RowList& rows, T* out) {
    using Lane = typename Windows::Lane;
    switch (windows.kind) {
      case Windows::kSame:
        return add_vectors<fresh, true>(AddSame<T>(), data, rows, windows.count, out);
      case Windows::kPairs:
        return add_vectors<fresh, true>(AddPairs<T>(), data, rows, windows.count, out);
      case Windows::kOneOrTwo:
        return add_vectors<fresh, true>(AddOneOrTwo<T>{windows}, data, rows, windows.count, out);
      default:
        break;
    }
    if (windows.terms <= 2) {
      add_vectors<fresh, false>(AddShort<T, 2>{windows.left, 2}, data, rows, windows.span, out);
    } else {
      const Lane terms = static_cast<Lane>(windows.terms);
      add_vectors<fresh, false>(AddShort<T, 0>{windows.left, terms}, data, rows, windows.span, out);
    }
  }

  template <bool fresh, bool complete, typename Adder>
  void add_vectors(const Adder& adder, const char* data, const RowList& rows, int64_t lanes,
                   T* out) {
    int64_t lane = 0;
    for (; lane + 3 * kSumLanes < lanes; lane += 4 * kSumLanes) {
      add_block<fresh, complete, 4>(adder, data, rows, lane, out);
    }
    for (; lane + kSumLanes < lanes; lane += 2 * kSumLanes) {
      add_block<fresh, complete, 2>(adder, data, rows, lane, out);
    }
    if (lane < lanes) add_block<fresh, complete, 1>(adder, data, rows, lane, out);
  }

  // Several vectors at a time: additions to one and the same wait for each other.
  template <bool fresh, bool complete, int vectors, typename Adder>
  void add_block(const Adder& adder, const char* data, const RowList& rows, int64_t lane, T* out) {
    V sums[vectors];
    for (int v = 0; v < vectors; ++v) {
      sums[v] = fresh ? splat<V>(nothing_) : load_vector<V>(sums_ + lane + v * kSumLanes);
    }
    for (int r = 0; r < rows.count; ++r) {
      for (int v = 0; v < vectors; ++v) {
        sums[v] = adder.add(sums[v], data + rows.offsets[r], lane + v * kSumLanes);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      if constexpr (fresh && complete) {
        store_narrowed(out + lane + v * kSumLanes, adder.finish(sums[v]));
      } else {
        store_vector(sums_ + lane + v * kSumLanes, sums[v]);
      }
    }
  }

  // Takes the lanes in which a window starts.
  void collect_short(T* out) {
    for (int64_t k = 0; k < windows.count; k += kSumLanes) {
      const Sum* from = sums_ + windows.starts[k];
      const auto* places = windows.places + k;
      V picked;
      if (kPicksLanes<Sum> && windows.terms <= 2) {
        picked = pick_lanes(load_vector<V>(from), load_vector<V>(from + kSumLanes),
                            load_vector<MaskOf<V>>(places));
      } else {
        for (int lane = 0; lane < kSumLanes; ++lane) picked[lane] = from[places[lane]];
      }
      if (windows.some_empty) {
        picked = load_vector<MaskOf<V>>(windows.lengths + k) > 0 ? picked : V{};
      }
      store_narrowed(out + k, picked);
    }
  }

  void round_sums(T* out) {
    for (int64_t k = 0; k < windows.count; k += kSumLanes) {
      const V sums = load_vector<V>(sums_ + k);
      store_narrowed(out + k, windows.kind == Windows::kPairs ? AddPairs<T>::finish(sums) : sums);
    }
  }

  void sum_long(const RowBox& box, T* out) {
    std::fill_n(sums_, windows.count, nothing_);
    box.for_each([&](const char* row) {
      int64_t window = 0;
      for (int64_t i = 0; i < windows.span; i += kSpan) {
        const int64_t end = std::min(i + kSpan, windows.span);
        widen_run(row + (windows.first + i) * step_, end - i);
        window = add_widened(i, end, window);
      }
    });
    round_sums(out);
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
  RowList lists_[8];
  alignas(64) Sum sums_[kSpan + 4 * kSumLanes];
  alignas(64) Sum widened_[kSpan];
  alignas(64) char copy_[(kSpan + 4 * kSumLanes) * sizeof(T)];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
