// SPDX-License-Identifier: Apache-2.0
// Windows over one, two or three axes: every target takes the sources of a range along each axis.
//
// Pooling takes, for each position of the result, a window of the input; its gradient takes, for
// each position of the input, the windows that look there. Both are ranges along each axis, so both
// are done here: first whole rows are joined, in vectors, then the columns of the joined row. The
// order follows from the shapes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engines/elementwise.h"
#include "engines/window_work.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Join>
class Windows {
 public:
  explicit Windows(const WindowWork& work) : work_(work) {
    limit_ = work.sources.data + sizeof(T);
    for (int axis = 0; axis < 5; ++axis) {
      const int64_t last = (work.sources.shape[axis] - 1) * work.sources.strides[axis];
      limit_ += std::max<int64_t>(last, 0);
    }
  }

  void compute() const {
    const Volumes& targets = work_.targets;
    const int64_t rows = targets.slabs() * targets.shape[2] * targets.shape[3];
    const int64_t joined = std::max<int64_t>(
        work_.sources.slab(0).elements() / (targets.shape[2] * targets.shape[3]), targets.shape[4]);
    parallel_for(rows, std::max<int64_t>(kParallelElements / 2 / joined, 1),
                 [&](int64_t begin, int64_t end) { compute_rows(begin, end); });
  }

 private:
  using Number = typename WindowNumber<T>::type;
  static constexpr int64_t kMostSources = 2048, kMostTargets = 512, kLanes = 16;
  static constexpr int64_t kRoom = 32;  // for whole vectors at the end
  static constexpr bool kVectors = !std::is_integral_v<T>;
  static constexpr int64_t kMostHeights = 256;  // worked out once for all planes

  // Targets of a row that are computed together, and the sources that they need.
  struct Columns {
    int64_t first, count;
    Range all;
    int32_t begin[kMostTargets];  // of each target's sources, counted from the first of all
    int32_t size[kMostTargets];
    // Of the targets, or of the sources for a gradient.
    Number counted[kMostSources + kRoom];
    bool single;                   // every target has one source
    int64_t even_begin, even_end;  // targets among them with as many sources each, evenly spaced
    int64_t step;
  };
  struct Buffers {
    alignas(64) Number sources[kMostSources + kRoom];
    alignas(64) Number targets[kMostTargets + kRoom] = {};
    alignas(64) T elements[kMostTargets + kRoom];  // the targets, rounded
  };
  struct Rows {
    int64_t number;  // of the slab
    Slab slab;       // of sources
    Range depth, height;
    const int64_t* counted;  // of the windows along the height; null: not worked out
    bool same_as(const Rows& other) const {
      return number == other.number && depth.begin == other.depth.begin &&
             depth.end == other.depth.end && height.begin == other.height.begin &&
             height.end == other.height.end;
    }
  };

  // Rows are numbered through all slabs and computed independently.
  void compute_rows(int64_t begin, int64_t end) const {
    Columns columns;
    Buffers buffers;
    for (columns.first = 0; columns.first < work_.targets.shape[4];
         columns.first += columns.count) {
      take_columns(&columns);
      compute_columns(columns, begin, end, &buffers);
    }
  }

  void compute_columns(const Columns& columns, int64_t begin, int64_t end, Buffers* buffers) const {
    const int64_t planes = work_.targets.shape[2], rows = work_.targets.shape[3];
    const int64_t windows = work_.axes[1].pooled;
    Range heights[kMostHeights];
    int64_t counted[kMostHeights];
    const bool known = std::max(rows, windows) <= kMostHeights && end - begin >= 2 * rows;
    for (int64_t i = 0; known && i < rows; ++i) heights[i] = work_.sources_of(1, i);
    for (int64_t i = 0; known && Join::kDivides && i < windows; ++i) {
      counted[i] = work_.counted(1, i);
    }
    int64_t h = begin % rows, d = begin / rows % planes, number = begin / rows / planes;
    for (int64_t left = end - begin; left > 0; ++number, d = 0) {
      const Slab to = work_.targets.slab(number);
      Rows now = {number, work_.sources.slab(number), {}, {}, known ? counted : nullptr};
      Rows before = {-1, now.slab, {}, {}, nullptr};
      const int64_t first_whole = h == 0 ? d : d + 1;
      for (; d < planes && left > 0; ++d, h = 0) {
        now.depth = work_.sources_of(0, d);
        if (d > first_whole && left >= rows && repeats_plane(now.depth, before.depth, columns)) {
          std::memmove(to.row(d, 0), to.row(d - 1, 0), rows * work_.targets.strides[3]);
          left -= rows;
          continue;
        }
        for (; h < rows && left > 0; ++h, --left) {
          now.height = known ? heights[h] : work_.sources_of(1, h);
          // Neighbours of one window get the same gradients.
          if (!work_.gradient || !now.same_as(before)) {
            compute_row(now, columns, buffers);
            if (Join::kDivides && !work_.gradient) {
              divide(work_.counted(0, d) * counted_height(now, h), columns, buffers);
            }
            round(columns, buffers);
            before = now;
          }
          put(to.row(d, h), columns, buffers->elements);
        }
      }
    }
  }

  // Whether a plane of gradients, which lies in memory as a whole, is that of the depth before.
  bool repeats_plane(const Range& depth, const Range& before, const Columns& columns) const {
    constexpr int64_t kSize = sizeof(T);
    const Volumes& targets = work_.targets;
    return work_.gradient && depth.begin == before.begin && depth.end == before.end &&
           columns.count == targets.shape[4] && targets.strides[4] == kSize &&
           targets.strides[3] == columns.count * kSize;
  }

  void take_columns(Columns* columns) const {
    const int64_t left = work_.targets.shape[4] - columns->first;
    const int64_t most = std::min(left, kMostTargets);
    columns->all = work_.sources_of(2, columns->first);
    int64_t count = 0;
    columns->single = true;
    for (; count < most; ++count) {
      const Range of = work_.sources_of(2, columns->first + count);
      if (count > 0 && of.end - columns->all.begin > kMostSources) break;
      columns->begin[count] = static_cast<int32_t>(of.begin - columns->all.begin);
      columns->size[count] = static_cast<int32_t>(std::min(of.size(), kMostSources));
      columns->single = columns->single && of.size() == 1;
      columns->all.end = std::max(columns->all.end, of.end);
    }
    columns->count = count;
    if (Join::kDivides) count_columns(columns);
    find_even(columns);
  }

  void count_columns(Columns* columns) const {
    const int64_t first = work_.gradient ? columns->all.begin : columns->first;
    const int64_t count = work_.gradient ? columns->all.size() : columns->count;
    count_windows(first, std::min(count, kMostSources), columns->counted);
  }

  void count_windows(int64_t first, int64_t count, Number* counted) const {
    for (int64_t i = 0; i < count; ++i) {
      counted[i] = static_cast<Number>(work_.counted(2, first + i));
    }
    std::fill_n(counted + count, kRoom, Number{1});
  }

  // Only the first and the last ones differ, by the padding.
  static void find_even(Columns* columns) {
    const int32_t *const begin = columns->begin, *const size = columns->size;
    const int64_t middle = columns->count / 2;
    columns->even_begin = columns->even_end = 0;
    if (columns->count < 4) return;
    const int32_t usual = size[middle], step = begin[middle + 1] - begin[middle];
    const auto is_even = [=](int64_t i) {
      return size[i] == usual && size[i + 1] == usual && begin[i + 1] - begin[i] == step;
    };
    if (step <= 0 || usual <= 0 || usual > kLanes || !is_even(middle)) return;
    columns->step = step;
    int64_t first = middle, last = middle + 1;
    while (first > 0 && is_even(first - 1)) --first;
    while (last + 1 < columns->count && is_even(last)) ++last;
    columns->even_begin = first;
    columns->even_end = last + 1;
  }

  void compute_row(const Rows& rows, const Columns& columns, Buffers* buffers) const {
    if (columns.all.size() <= kMostSources) {
      join_rows(rows, columns.all, columns.counted, buffers->sources);
      join_columns(columns, buffers);
      return;
    }
    // A single target whose sources do not fit.
    Number joined = Join::template start<Number>();
    Number counted[kMostSources + kRoom] = {};
    for (int64_t begin = columns.all.begin; begin < columns.all.end; begin += kMostSources) {
      const Range part = {begin, std::min(begin + kMostSources, columns.all.end)};
      if (work_.gradient && Join::kDivides) count_windows(begin, part.size(), counted);
      join_rows(rows, part, counted, buffers->sources);
      joined = Join::join(joined, join_run(buffers->sources, part.size()));
    }
    buffers->targets[0] = joined;
  }

  int64_t counted_height(const Rows& rows, int64_t window) const {
    return rows.counted != nullptr ? rows.counted[window] : work_.counted(1, window);
  }

  void join_rows(const Rows& rows, const Range& part, const Number* counted, Number* to) const {
    const Slab& slab = rows.slab;
    const int64_t stride = slab.strides[2], count = part.size();
    std::fill_n(to, whole_vectors(count), Join::template start<Number>());
    const bool divides = Join::kDivides && work_.gradient;
    for (int64_t d = rows.depth.begin; d < rows.depth.end; ++d) {
      const int64_t depth_counted = divides ? work_.counted(0, d) : 0;
      for (int64_t h = rows.height.begin; h < rows.height.end; ++h) {
        const char* const from = slab.row(d, h) + part.begin * stride;
        if (divides) {
          const auto rows_counted = static_cast<Number>(depth_counted * counted_height(rows, h));
          add_divided(from, stride, count, rows_counted, counted, to);
        } else if (stride == static_cast<int64_t>(sizeof(T))) {
          if (join_vectors(from, count, to)) continue;
          join_row(from, std::integral_constant<int64_t, sizeof(T)>{}, count, to);
        } else {
          join_row(from, stride, count, to);
        }
      }
    }
  }

  static int64_t whole_vectors(int64_t count) {
    constexpr int64_t kStep = aclhost::kLanes<Number>;
    return (count + kStep - 1) / kStep * kStep;
  }

  // Calls visit(i) for vectors of a row that is an array; what is read behind its end has to be
  // memory of the sources, too. False: it is not.
  template <typename Visit>
  bool for_each_vector(const char* from, int64_t count, const Visit& visit) const {
    if (from + whole_vectors(count) * static_cast<int64_t>(sizeof(T)) > limit_) return false;
    for (int64_t i = 0; i < count; i += aclhost::kLanes<Number>) visit(i);
    return true;
  }

  bool join_vectors(const char* from, int64_t count, Number* to) const {
    if constexpr (kVectors) {
      const T* const elements = reinterpret_cast<const T*>(from);
      return for_each_vector(from, count, [&](int64_t i) {
        const auto before = load_vector<Vector<Number>>(to + i);
        store_vector(to + i, Join::join(before, load_widened(elements + i)));
      });
    }
    return false;
  }

  template <typename Stride>
  static void join_row(const char* from, Stride stride, int64_t count, Number* to) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Join::join(to[i], WindowNumber<T>::from(load<T>(from + i * stride)));
    }
  }

  bool add_divided_vectors(const char* from, int64_t count, Number rows_counted,
                           const Number* counted, Number* to) const {
    using V = Vector<Number>;
    const T* const elements = reinterpret_cast<const T*>(from);
    return for_each_vector(from, count, [&](int64_t i) {
      const V divisors = splat<V>(rows_counted) * load_vector<V>(counted + i);
      store_vector(to + i, load_vector<V>(to + i) + load_widened(elements + i) / divisors);
    });
  }

  void add_divided(const char* from, int64_t stride, int64_t count, Number rows_counted,
                   const Number* counted, Number* to) const {
    if constexpr (Join::kDivides) {
      const bool is_array = stride == static_cast<int64_t>(sizeof(T));
      if (is_array && add_divided_vectors(from, count, rows_counted, counted, to)) return;
      const auto add = [&](auto step) {
        for (int64_t i = 0; i < count; ++i) {
          to[i] += WindowNumber<T>::from(load<T>(from + i * step)) / (rows_counted * counted[i]);
        }
      };
      constexpr int64_t kSize = sizeof(T);
      stride == kSize ? add(std::integral_constant<int64_t, kSize>{}) : add(stride);
    }
  }

  static void join_columns(const Columns& columns, Buffers* buffers) {
    const Number* const from = buffers->sources;
    Number* const to = buffers->targets;
    if (columns.single) {
      for (int64_t i = 0; i < columns.count; ++i) to[i] = from[columns.begin[i]];
      return;
    }
    const auto join_some = [&](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i) {
        to[i] = join_run(from + columns.begin[i], columns.size[i]);
      }
    };
    join_some(0, columns.even_begin);
    join_even(columns, from, to);
    join_some(columns.even_end, columns.count);
  }

  static void join_even(const Columns& columns, const Number* from, Number* to) {
    const int64_t first = columns.even_begin, count = columns.even_end - first;
    if (count == 0) return;
    from += columns.begin[first];
    to += first;
    const int64_t size = columns.size[first];
    if (columns.step == 1) {
      join_even(from, std::integral_constant<int64_t, 1>{}, size, count, to);
    } else if (columns.step == 2) {
      join_even(from, std::integral_constant<int64_t, 2>{}, size, count, to);
    } else {
      join_even(from, columns.step, size, count, to);
    }
  }

  template <typename Step>
  static void join_even(const Number* from, Step step, int64_t size, int64_t count, Number* to) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
    for (int64_t k = 1; k < size; ++k) {
      for (int64_t i = 0; i < count; ++i) to[i] = Join::join(to[i], from[i * step + k]);
    }
  }

  // Few numbers one after the other, many in lanes.
  static Number join_run(const Number* from, int64_t count) {
    if (count >= 2 * kLanes) return join_lanes(from, count);
    Number joined = count > 0 ? from[0] : Join::template start<Number>();
    for (int64_t i = 1; i < count; ++i) joined = Join::join(joined, from[i]);
    return joined;
  }

  static Number join_lanes(const Number* from, int64_t count) {
    Number lanes[kLanes];
    std::copy_n(from, kLanes, lanes);
    int64_t i = kLanes;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) lanes[k] = Join::join(lanes[k], from[i + k]);
    }
    for (int64_t k = 1; k < kLanes; ++k) lanes[0] = Join::join(lanes[0], lanes[k]);
    for (; i < count; ++i) lanes[0] = Join::join(lanes[0], from[i]);
    return lanes[0];
  }

  static void divide(int64_t rows_counted, const Columns& columns, Buffers* buffers) {
    const auto rows = static_cast<Number>(rows_counted);
    for (int64_t i = 0; i < columns.count; ++i) buffers->targets[i] /= rows * columns.counted[i];
  }

  static void round(const Columns& columns, Buffers* buffers) {
    if constexpr (kVectors) {
      for (int64_t i = 0; i < columns.count; i += aclhost::kLanes<Number>) {
        store_narrowed(buffers->elements + i, load_vector<Vector<Number>>(buffers->targets + i));
      }
    } else {
      std::copy_n(buffers->targets, columns.count, buffers->elements);
    }
  }

  void put(char* row, const Columns& columns, const T* elements) const {
    constexpr int64_t kSize = sizeof(T);
    const int64_t stride = work_.targets.strides[4], count = columns.count;
    char* const to = row + columns.first * stride;
    if (stride == kSize) {
      std::memcpy(to, elements, static_cast<size_t>(count * kSize));
    } else {
      for (int64_t i = 0; i < count; ++i) store(to + i * stride, elements[i]);
    }
  }

  const WindowWork& work_;
  const char* limit_;  // behind the last source
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
