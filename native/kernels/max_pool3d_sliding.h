// SPDX-License-Identifier: Apache-2.0
// Maxima of windows that slide along width, height and depth, one axis after the other.
//
// Neighbouring windows share most of their elements. So the maxima along width are found for every
// row of the input once, those along height for every plane, and those along depth from the planes:
// for a window of 3 x 3 x 3, 6 comparisons instead of 26. Each maximum comes with where it is, in
// lanes as wide as the elements. Of two, the one that comes first in the order of the definition is
// kept unless the other replaces it, so the result is that of the definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/max_pool3d.h"
#include "kernels/max_pool3d_keys.h"
#include "kernels/permute.h"
#include "kernels/volume.h"
#include "opbase/geometry.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows and columns of the result that are computed together, through some of its planes.
struct PoolBlock {
  int64_t row, rows;
  int64_t column, columns;
};

template <typename T>
class SlidingMaxima {
  using Key = typename PoolKeys<T>::Key;
  using Keys = typename PoolKeys<T>::Keys;
  using Offsets = MaskOf<Keys>;
  using Offset = Element<Offsets>;
  static constexpr int64_t kSize = sizeof(T);

 public:
  static constexpr int64_t kStep = kLanes<Key>;
  static constexpr int64_t kMostColumns = 512;
  static constexpr int64_t kMostStride = 64;

  // How much memory blocks of this many rows and columns take, in bytes; kTooMuch if they cannot be
  // computed this way.
  static constexpr int64_t kTooMuch = INT64_MAX;
  static int64_t memory(const Slab& slab, const Window& window, int64_t rows, int64_t columns) {
    constexpr int64_t kMost = 1 << 16;  // so that nothing overflows
    for (int axis = 0; axis < 3; ++axis) {
      if (window.dilation[axis] < 1 || window.dilation[axis] > kMost) return kTooMuch;
      if (window.kernel[axis] > kMost || span(window, axis) > kMost) return kTooMuch;
    }
    const int64_t reach = (window.kernel[1] - 1) * window.dilation[1] * slab.shape[2] +
                          (window.kernel[2] - 1) * window.dilation[2];
    if (slab.elements() > INT32_MAX || reach > std::numeric_limits<Offset>::max() ||
        window.stride[2] > kMostStride) {
      return kTooMuch;
    }
    const int64_t held = input_rows(window, rows) + slots(window) * rows;
    return held * padded(columns) * int64_t{sizeof(Key) + sizeof(Offset)} +
           kTaken * row_length(window, columns) * int64_t{sizeof(Key)} +
           slots(window) * int64_t{sizeof(int64_t)};
  }

  // The memory is aligned to lines of the cache.
  SlidingMaxima(const Window& window, const Slab& slab, const PoolBlock& block, char* memory)
      : window_(window),
        slab_(slab),
        block_(block),
        width_(padded(block.columns)),
        taken_length_(row_length(window, block.columns)) {
    const auto take = [&](auto** array, int64_t count) {
      *array = reinterpret_cast<std::remove_reference_t<decltype(*array)>>(memory);
      memory += count * static_cast<int64_t>(sizeof **array);
    };
    planes_.slots = slots(window);
    const int64_t held = input_rows(window, block.rows) + planes_.slots * block.rows;
    take(&keys_, held * width_);
    take(&offsets_, held * width_);
    take(&taken_, kTaken * taken_length_);
    take(&planes_.held, planes_.slots);
    std::fill_n(planes_.held, planes_.slots, -1);
    for (int i = 0; i < kLanes<int32_t>; ++i) {
      lane_steps_[i] = i * static_cast<int32_t>(window.stride[2]);
    }
    for (int64_t i = 0; i < kTaken * taken_length_; i += kStep) {
      store_vector(taken_ + i, splat<Keys>(PoolKeys<T>::kLowest));
    }
    const int64_t top = block.row * window.stride[1] - window.padding[1];
    first_row_ = std::max<int64_t>(top, 0);
    end_row_ = std::min(top + input_rows(window, block.rows), slab.shape[1]);
    memory_end_ = slab.data;
    for (int axis = 0; axis < 3; ++axis) {
      memory_end_ += std::max<int64_t>((slab.shape[axis] - 1) * slab.strides[axis], 0);
    }
    memory_end_ += kSize;
    follow_ = slab.strides[2] == kSize || slab.shape[2] == 1;
    // The columns of the input that the block sees, and where they are in a row that was taken.
    const int64_t first = block.column * window.stride[2] - window.padding[2];
    first_column_ = std::max<int64_t>(first, 0);
    lead_ = first_column_ - first;
    const int64_t reach =
        (block.columns - 1) * window.stride[2] + (window.kernel[2] - 1) * window.dilation[2] + 1;
    columns_ = std::max<int64_t>(std::min(slab.shape[2], first + reach) - first_column_, 0);
    input_rest_ = first_lanes(columns_ % kStep);
    result_rest_ = first_lanes(block.columns - (block.columns - 1) / kStep * kStep);
  }

  // Fetches the planes of the input that the next rows see. Their taps have elements.
  void look_at(const Taps& depth) {
    depth_ = depth;
    for (int64_t i = 0; i < depth.count; ++i) {
      const int64_t plane = depth.first + i * depth.step, slot = planes_.slot_of(plane);
      if (planes_.held[slot] != plane) compute_plane(plane, slot);
      planes_.held[slot] = plane;
    }
    first_slot_ = planes_.slot_of(depth.first);
  }

  // Computes a row of the block, counted from its first, whose windows' taps have elements. Writes
  // whole vectors. True if some elements have to be computed by the definition.
  bool compute_row(int64_t row, const Taps& height, T* elements, int32_t* places) {
    if (depth_.count == 2) return combine_planes<2>(row, height, elements, places);
    if (depth_.count == 3) return combine_planes<3>(row, height, elements, places);
    return combine_planes<0>(row, height, elements, places);
  }

 private:
  static constexpr int64_t kTaken = 8;        // rows of the input
  static constexpr int64_t kAhead = 4 << 10;  // bytes, to fetch while others are used

  static int64_t span(const Window& window, int axis) {
    return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
  }
  static int64_t slots(const Window& window) { return span(window, 0); }
  static int64_t input_rows(const Window& window, int64_t rows) {
    return (rows - 1) * window.stride[1] + span(window, 1);
  }
  static int64_t padded(int64_t columns) { return (columns + kStep - 1) / kStep * kStep; }
  static int64_t row_length(const Window& window, int64_t columns) {
    return padded(padded(columns) * window.stride[2] + span(window, 2) + 2 * kStep);
  }

  Taps taps(int axis, int64_t position) const {
    return taps_inside(position * window_.stride[axis] - window_.padding[axis],
                       window_.kernel[axis], window_.dilation[axis], slab_.shape[axis]);
  }

  // Slots for the maxima of planes, which take them in turn.
  struct Ring {
    int64_t slots;
    int64_t* held;       // who is in a slot
    int64_t number = 0;  // the last that was asked for
    int64_t slot = 0;

    // Without a division, as those who ask come in order.
    int64_t slot_of(int64_t asked) {
      slot += asked - number;
      number = asked;
      while (slot >= slots) slot -= slots;
      while (slot < 0) slot += slots;
      return slot;
    }
    // So many further on.
    int64_t after(int64_t from, int64_t step) const {
      return from + step < slots ? from + step : from + step - slots;
    }
  };

  // The maxima along height of a row of a plane, and those along width of a row of the input.
  int64_t plane_at(int64_t slot, int64_t row) const { return (slot * block_.rows + row) * width_; }
  int64_t row_at(int64_t input_row) const {
    return (planes_.slots * block_.rows + input_row - first_row_) * width_;
  }

  void compute_plane(int64_t plane, int64_t slot) {
    // Some rows are taken before the first is used: to load what was just stored, in other vectors,
    // takes long.
    for (int64_t row = first_row_; row < end_row_; row += kTaken) {
      const int64_t count = std::min(kTaken, end_row_ - row);
      for (int64_t i = 0; i < count; ++i) {
        take_row(slab_.row(plane, row + i), taken_ + i * taken_length_);
      }
      for (int64_t i = 0; i < count; ++i) {
        by_stride(taken_ + i * taken_length_, row_at(row + i));
      }
    }
    for (int64_t row = 0; row < block_.rows; ++row) {
      const Taps height = taps(1, block_.row + row);
      const int64_t to = plane_at(slot, row);
      if (height.count == 2) {
        combine_rows<2>(height, to);
      } else if (height.count == 3) {
        combine_rows<3>(height, to);
      } else if (height.count > 0) {
        combine_rows<0>(height, to);
      }
    }
  }

  // The number of taps is a constant where it is small.
  template <int taps>
  void combine_rows(const Taps& height, int64_t to) {
    const int64_t count = taps ? taps : height.count;
    const int64_t from = row_at(height.first), step = height.step * width_;
    const auto below = static_cast<Offset>(height.step * slab_.shape[2]);
    for (int64_t j = 0; j < block_.columns; j += kStep) {
      Keys best = load_vector<Keys>(keys_ + from + j);
      Offsets offset = load_vector<Offsets>(offsets_ + from + j), row = {};
      for (int64_t i = 1; i < count; ++i) {
        row += below;
        const int64_t at = from + i * step + j;
        const Keys key = load_vector<Keys>(keys_ + at);
        const Offsets taken = replaces_maximum(key, best);
        offset = taken ? load_vector<Offsets>(offsets_ + at) + row : offset;
        best = taken ? key : best;
      }
      store_vector(keys_ + to + j, best);
      store_vector(offsets_ + to + j, offset);
    }
  }

  template <int taps>
  bool combine_planes(int64_t row, const Taps& height, T* elements, int32_t* places) {
    const int64_t count = taps ? taps : depth_.count, plane_size = slab_.plane();
    const int64_t corner = depth_.first * plane_size + height.first * slab_.shape[2] +
                           block_.column * window_.stride[2] - window_.padding[2];
    const bool saw_negative_zero = keys_of_.saw_negative_zero();
    Offsets doubtful = {};
    for (int64_t j = 0; j < block_.columns; j += kStep) {
      int64_t slot = first_slot_;
      Keys best = load_vector<Keys>(keys_ + plane_at(slot, row) + j);
      Offsets offset = load_vector<Offsets>(offsets_ + plane_at(slot, row) + j), plane = {};
      for (int64_t i = 1; i < count; ++i) {
        slot = planes_.after(slot, depth_.step);
        const Keys key = load_vector<Keys>(keys_ + plane_at(slot, row) + j);
        const Offsets taken = replaces_maximum(key, best);
        offset = taken ? load_vector<Offsets>(offsets_ + plane_at(slot, row) + j) : offset;
        plane = taken ? splat<Offsets>(static_cast<Offset>(i)) : plane;
        best = taken ? key : best;
      }
      const Offsets doubts = keys_of_.doubtful(best, saw_negative_zero);
      doubtful |= j + kStep < block_.columns ? doubts : doubts & result_rest_;
      store_vector(elements + j, PoolKeys<T>::to_elements(best));
      store_places(offset, plane, static_cast<int32_t>(corner + j * window_.stride[2]),
                   static_cast<int32_t>(depth_.step * plane_size), places + j);
    }
    return any_lane(doubtful);
  }

  void by_stride(const Key* taken, int64_t to) {
    if (window_.stride[2] == 1) return by_taps<1>(taken, to);
    if (window_.stride[2] == 2) return by_taps<2>(taken, to);
    combine_columns<0, 0>(taken, to);
  }

  template <int stride>
  void by_taps(const Key* taken, int64_t to) {
    if (window_.kernel[2] == 2) return combine_columns<stride, 2>(taken, to);
    if (window_.kernel[2] == 3) return combine_columns<stride, 3>(taken, to);
    combine_columns<stride, 0>(taken, to);
  }

  template <int stride, int taps>
  void combine_columns(const Key* taken_row, int64_t to) {
    const int64_t kernel = taps ? taps : window_.kernel[2], dilation = window_.dilation[2];
    for (int64_t j = 0; j < block_.columns; j += kStep) {
      const Key* from = taken_row + j * window_.stride[2];
      Keys best = load_strided<stride>(from);
      Offsets offset = {};
      for (int64_t k = 1; k < kernel; ++k) {
        const Keys key = load_strided<stride>(from + k * dilation);
        const Offsets taken = replaces_maximum(key, best);
        offset = taken ? splat<Offsets>(static_cast<Offset>(k * dilation)) : offset;
        best = taken ? key : best;
      }
      store_vector(keys_ + to + j, best);
      store_vector(offsets_ + to + j, offset);
    }
  }

  template <int stride>
  Keys load_strided(const Key* from) const {
    if constexpr (stride == 1) {
      return load_vector<Keys>(from);
    } else if constexpr (stride == 2) {
      return evens(load_vector<Keys>(from), load_vector<Keys>(from + kStep));
    } else {
      Keys picked;
      for (int i = 0; i < kStep; ++i) picked[i] = from[i * window_.stride[2]];
      return picked;
    }
  }

  // Brings the columns that the block sees of a row of the input. What is padding stays so.
  void take_row(const char* row, Key* taken) {
    const char* const from = row + first_column_ * slab_.strides[2];
    // Of a dense slab; the processor itself looks ahead no further than to the end of a page.
    const uintptr_t ahead = reinterpret_cast<uintptr_t>(from) + kAhead;
    Key* const to = taken + lead_;
    for (int64_t j = 0; j < columns_; j += kStep) {
      const int64_t count = columns_ - j;
      __builtin_prefetch(reinterpret_cast<const void*>(ahead + j * kSize));
      Keys keys = keys_of_.from_elements(load_elements(from + j * slab_.strides[2], count));
      if (count < kStep) keys = input_rest_ ? keys : splat<Keys>(PoolKeys<T>::kLowest);
      store_vector(to + j, keys);
    }
  }

  // As many as there are, and anything behind them.
  Keys load_elements(const char* from, int64_t count) const {
    if (follow_ && (count >= kStep || memory_end_ - from >= int64_t{sizeof(Keys)})) {
      return load_vector<Keys>(from);
    }
    Keys elements = {};
    for (int64_t k = 0; k < std::min(kStep, count); ++k) {
      elements[k] = load<Key>(from + k * slab_.strides[2]);
    }
    return elements;
  }

  static Offsets first_lanes(int64_t count) {
    Offsets lanes = {};
    for (int i = 0; i < kStep; ++i) lanes[i] = static_cast<Offset>(i);
    return lanes < static_cast<Offset>(count);
  }

  // Places of neighbouring windows, the first of which begins at `first`.
  void store_places(Offsets offset, Offsets plane, int32_t first, int32_t plane_step,
                    int32_t* to) const {
    using Words = Vector<int32_t>;
    const Words lane = lane_steps_ + first;
    if constexpr (sizeof(Offset) == 4) {
      store_vector(to, offset + plane * plane_step + lane);
    } else {
      constexpr int kHalf = kLanes<int32_t>;
      const auto half = [&](const Offset* offsets, const Offset* planes) {
        return bit_cast<Words>(load_halves(offsets)) +
               bit_cast<Words>(load_halves(planes)) * plane_step + lane;
      };
      Offset offsets[kStep], planes[kStep];
      store_vector(offsets, offset);
      store_vector(planes, plane);
      const int32_t further = kHalf * static_cast<int32_t>(window_.stride[2]);
      store_vector(to, half(offsets, planes));
      store_vector(to + kHalf, half(offsets + kHalf, planes + kHalf) + further);
    }
  }

  const Window& window_;
  const Slab slab_;
  const PoolBlock block_;
  const int64_t width_;         // of what is held, in elements
  const int64_t taken_length_;  // of a row that was taken, with padding
  Key* keys_;
  Offset* offsets_;
  Key* taken_;
  Ring planes_;                       // of the input
  const char* memory_end_;            // of the slab's
  bool follow_;                       // the elements of a row follow each other
  int64_t first_row_, end_row_;       // of the input
  int64_t first_column_, columns_;    // likewise
  int64_t lead_;                      // columns of padding before them
  Offsets input_rest_, result_rest_;  // the lanes that the last vector of a row needs
  Vector<int32_t> lane_steps_;
  Taps depth_;
  int64_t first_slot_;  // of depth_
  PoolKeys<T> keys_of_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
