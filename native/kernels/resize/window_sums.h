// SPDX-License-Identifier: Apache-2.0
// Sums over windows of rows.
//
// Note [Order of sums]
// An element of the gradient is the sum of its window. First, the elements at one and the same
// place along the width are added up, depth by depth and row by row; then these sums, along the
// width. Each is added to the sum of those before it, in ComputeType<T>, and the last is rounded
// once. So whole rows are added up, whatever the windows along them are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/resize/resize.h"
#include "kernels/resize/row_box.h"
#include "kernels/resize/row_windows.h"
#include "simd/memory.h"
#include "simd/permute.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Sums the windows of one block.
template <typename T>
class WindowSums {
 public:
  using Sum = ComputeType<T>;
  using V = Vector<Sum>;
  static constexpr int64_t kSumLanes = kLanes<Sum>;

  // Rows may be read up to `limit`. Elements are `step` bytes apart. Sums start from `nothing`.
  // What is read later is `ahead` bytes away; 0 if it is in the cache anyway.
  WindowSums(int64_t step, const char* limit, Sum nothing, int64_t ahead)
      : step_(step), limit_(limit), nothing_(splat<V>(nothing)), ahead_(ahead) {}

  RowWindows<T> windows;

  // Rounds the sums over the windows of `rows` boxes to as many rows at `out`. A row of a box is
  // where the first window starts.
  template <typename Boxes>
  void sum(Boxes& boxes, int64_t rows, T* out) {
    if (windows.kind == Windows::kSame || windows.kind == Windows::kPairs) {
      sum_at_once(boxes, rows, out);
    } else if (windows.span > kSpan) {
      for (int64_t r = 0; r < rows; ++r) out[r] = sum_in_pieces(boxes.next());
    } else {
      sum_rows_then_windows(boxes, rows, out);
    }
  }

 private:
  using Windows = RowWindows<T>;
  using Lanes = MaskOf<V>;

  static int64_t padded(int64_t elements) {
    return (elements + kSumLanes - 1) / kSumLanes * kSumLanes;
  }

  // Whether vectors that read `least` elements or more can read those of a box's rows.
  bool readable(const RowBox& box, int64_t elements, int64_t least) const {
    if (step_ != sizeof(T)) return false;
    return least <= elements || box.data + box.reach + least * int64_t{sizeof(T)} <= limit_;
  }

  // Each of these is optimised on its own: in one function they would share the registers.
  template <typename Boxes>
  __attribute__((noinline, flatten)) void sum_rows_then_windows(Boxes& boxes, int64_t rows,
                                                                T* out) {
    const int64_t pitch = padded(std::max<int64_t>(windows.span, 1));
    const int64_t most = kSpan / pitch;
    for (int64_t r = 0; r < rows; r += most) {
      const int64_t some = std::min(most, rows - r);
      for (int64_t i = 0; i < some; ++i) add_up(boxes.next(), windows.span, sums_ + i * pitch);
      collect(some, pitch, out + r * windows.count);
    }
  }

  // Without a way through memory.
  template <typename Boxes>
  __attribute__((noinline, flatten)) void sum_at_once(Boxes& boxes, int64_t rows, T* out) {
    const int64_t alike = boxes.alike(rows) ? rows : 1;
    for (int64_t r = 0; r < rows; r += alike) {
      const RowBox& box = boxes.next();
      with_counts(box, [&](auto counts) {
        for (int64_t i = r;;) {
          sum_row(counts, box, out + i * windows.count);
          if (++i == r + alike) break;
          boxes.step();
        }
      });
    }
  }

  template <typename Counts>
  void sum_row(Counts counts, const RowBox& box, T* out) {
    const bool pairs = windows.kind == Windows::kPairs, one_vector = windows.span <= kSumLanes;
    const int64_t least = pairs && !one_vector ? 2 * kSumLanes : kSumLanes;
    if (!readable(box, windows.span, least)) return sum_unreadable(box, out);
    if (pairs && one_vector) {
      V sums[1];
      sum_elements<1>(counts, box, 0, sums);
      return store_narrowed(out, added_pairs(sums[0], sums[0]) + nothing_);
    }
    for_each_vector<kSumLanes>(windows.count, [&](int64_t lane, auto vectors) {
      V sums[vectors];
      if (pairs) {
        sum_pairs<vectors>(counts, box, 2 * lane, sums);
      } else {
        sum_elements<vectors>(counts, box, lane, sums);
      }
      repeat<vectors>(
          [&](auto v) { store_narrowed(out + lane + v * kSumLanes, sums[v] + nothing_); });
    });
  }

  // What comes next but some, in place of as many elements as are read now.
  template <int64_t count>
  void fetch_later(const T* elements) const {
    if (ahead_ == 0) return;
    constexpr int lines = (count * sizeof(T) + kLineBytes - 1) / kLineBytes;
    const uintptr_t later = reinterpret_cast<uintptr_t>(elements) + ahead_;
    repeat<lines>([&](auto line) { prefetch(later + line * kLineBytes); });
  }

  template <int vectors, typename Counts>
  void sum_elements(Counts counts, const RowBox& box, int64_t element, V* sums) const {
    const auto add = [&](const char* row, V* to) {
      const T* elements = reinterpret_cast<const T*>(row) + element;
      fetch_later<vectors * kSumLanes>(elements);
      repeat<vectors>([&](auto v) { to[v] += load_widened(elements + v * kSumLanes); });
    };
    counts.template add_up<vectors>(box, add, sums);
  }

  template <int vectors, typename Counts>
  void sum_pairs(Counts counts, const RowBox& box, int64_t element, V* sums) const {
    V parts[2 * vectors];
    if constexpr (std::is_same_v<T, BFloat16>) {
      // A pair is one word, of which each half is the upper half of a float.
      const auto add = [&](const char* row, V* to) {
        const T* elements = reinterpret_cast<const T*>(row) + element;
        fetch_later<2 * vectors * kSumLanes>(elements);
        repeat<vectors>([&](auto v) {
          const auto words = load_vector<Vector<uint32_t>>(elements + 2 * v * kSumLanes);
          to[2 * v] += bit_cast<V>(words << 16);
          to[2 * v + 1] += bit_cast<V>(words & 0xFFFF0000u);
        });
      };
      counts.template add_up<2 * vectors>(box, add, parts);
      repeat<vectors>([&](auto v) { sums[v] = parts[2 * v] + parts[2 * v + 1]; });
    } else {
      sum_elements<2 * vectors>(counts, box, element, parts);
      repeat<vectors>([&](auto v) { sums[v] = added_pairs(parts[2 * v], parts[2 * v + 1]); });
    }
  }

  static V added_pairs(V a, V b) { return in_order(shuffled_evens(a, b) + shuffled_odds(a, b)); }

  __attribute__((noinline)) void sum_unreadable(const RowBox& box, T* out) {
    add_up(box, windows.span, sums_);
    for (int64_t lane = 0; lane < windows.count; lane += kSumLanes) {
      V sum = load_vector<V>(sums_ + lane);
      if (windows.kind == Windows::kPairs) {
        const Sum* pairs = sums_ + 2 * lane;
        sum = added_pairs(load_vector<V>(pairs), load_vector<V>(pairs + kSumLanes));
      }
      store_narrowed(out + lane, sum + nothing_);
    }
  }

  // Sums over rows, for each of some elements.
  void add_up(const RowBox& box, int64_t elements, Sum* to) const {
    if (!readable(box, elements, kSumLanes)) return add_up_one_by_one(box, elements, to);
    with_counts(box, [&](auto counts) {
      for_each_vector<kSumLanes>(elements, [&](int64_t element, auto vectors) {
        V sums[vectors];
        sum_elements<vectors>(counts, box, element, sums);
        repeat<vectors>([&](auto v) { store_vector(to + element + v * kSumLanes, sums[v]); });
      });
    });
  }

  void add_up_one_by_one(const RowBox& box, int64_t elements, Sum* to) const {
    with_counts(box, [&](auto counts) {
      for (int64_t i = 0; i < elements; ++i) {
        const auto add = [&](const char* row, Sum* sum) {
          *sum += widen(load<T>(row + i * step_));
        };
        Sum sum;
        counts.template add_up<1>(box, add, &sum);
        to[i] = sum;
      }
    });
  }

  // Rounds the sums over windows of sums over rows.
  void collect(int64_t rows, int64_t pitch, T* out) {
    if (windows.kind == Windows::kShort) {
      for (int64_t r = 0; r < rows; ++r) close_windows(sums_ + r * pitch);
    }
    for (int64_t next = 0; next < windows.count; next += kSumLanes) {
      const int64_t lane = std::max<int64_t>(std::min(next, windows.count - kSumLanes), 0);
      if (windows.kind == Windows::kOneOrTwo) {
        collect_one_or_two(rows, pitch, lane, out + lane);
        continue;
      }
      for (int64_t r = 0; r < rows; ++r) {
        const Sum* elements = sums_ + r * pitch;
        const auto* starts = windows.starts + lane;
        const V sum = windows.kind == Windows::kShort ? first_elements(elements, starts)
                                                      : sum_windows(elements, starts);
        store_narrowed(out + r * windows.count + lane, sum + nothing_);
      }
    }
  }

  // Two vectors hold all of a vector's windows.
  void collect_one_or_two(int64_t rows, int64_t pitch, int64_t lane, T* out) const {
    const auto* starts = windows.starts + lane;
    const Lanes at = load_vector<Lanes>(starts) - starts[0];
    const Lanes lengths = load_vector<Lanes>(starts + 1) - load_vector<Lanes>(starts);
    const V nothing = -V{};
    for (int64_t r = 0; r < rows; ++r) {
      const Sum* from = sums_ + r * pitch + starts[0];
      const V low = load_vector<V>(from), high = load_vector<V>(from + kSumLanes);
      const V ones = lengths > 0 ? pick_lanes(low, high, at) : nothing;
      const V twos = lengths > 1 ? pick_lanes(low, high, at + 1) : nothing;
      store_narrowed(out + r * windows.count, ones + twos + nothing_);
    }
  }

  // Makes each element the sum from it to the end of its window. No lane is moved for that.
  void close_windows(Sum* elements) const {
    for (int64_t i = 0; i < windows.span; i += kSumLanes) {
      const auto left = load_vector<Lanes>(windows.left + i);
      V sum = load_vector<V>(elements + i);
      for (typename Windows::Lane term = 1; term < windows.terms; ++term) {
        sum += left > term ? load_vector<V>(elements + i + term) : -V{};
      }
      store_vector(elements + i, sum);
    }
  }

  static V first_elements(const Sum* elements, const typename Windows::Lane* starts) {
    Sum firsts[kSumLanes];
    for (int c = 0; c < kSumLanes; ++c) firsts[c] = elements[starts[c]];
    const Lanes lengths = load_vector<Lanes>(starts + 1) - load_vector<Lanes>(starts);
    return lengths > 0 ? load_vector<V>(firsts) : -V{};
  }

  // Some windows side by side, because each addition waits for the one before it.
  static V sum_windows(const Sum* elements, const typename Windows::Lane* starts) {
    Sum sums[kSumLanes];
    for (int c = 0; c < kSumLanes; c += kChains) add_chains(elements, starts + c, sums + c);
    return load_vector<V>(sums);
  }

  static constexpr int kChains = kSumLanes < 8 ? kSumLanes : 8;
  static void add_chains(const Sum* elements, const typename Windows::Lane* starts, Sum* sums) {
    int64_t common = starts[1] - starts[0];
    for (int c = 1; c < kChains; ++c) {
      common = std::min<int64_t>(common, starts[c + 1] - starts[c]);
    }
    Sum chains[kChains];
    const Sum* windows[kChains];
    repeat<kChains>([&](auto c) {
      chains[c] = -Sum{};
      windows[c] = elements + starts[c];
    });
    for (int64_t i = 0; i < common; ++i) {
      repeat<kChains>([&](auto c) { chains[c] += windows[c][i]; });
    }
    repeat<kChains>([&](auto c) {
      const int64_t length = starts[c + 1] - starts[c];
      for (int64_t i = common; i < length; ++i) chains[c] += windows[c][i];
      sums[c] = chains[c];
    });
  }

  // A single window that is too long for sums_.
  T sum_in_pieces(RowBox box) {
    Sum sum = -Sum{};
    for (int64_t left = windows.span; left > 0; left -= kSpan, box.data += kSpan * step_) {
      const int64_t elements = std::min(left, kSpan);
      add_up(box, elements, sums_);
      for (int64_t i = 0; i < elements; ++i) sum += sums_[i];
    }
    return Narrow<T>::from(sum + nothing_[0]);
  }

  int64_t step_;
  const char* limit_;
  V nothing_;
  int64_t ahead_;
  alignas(64) Sum sums_[kSpan + 4 * kSumLanes];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
