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

#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/max_pool3d_keys.h"
#include "kernels/pooling/max_pool3d_maxima.h"
#include "kernels/pooling/max_pool3d_tensors.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
class SlidingMaxima {
  using Key = typename PoolKeys<T>::Key;
  using Keys = typename PoolKeys<T>::Keys;
  using Offsets = MaskOf<Keys>;
  using Offset = Element<Offsets>;
  using Maxima = RunningMaxima<T>;
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
        reader_(slab),
        width_(padded(block.columns)),
        taken_length_(row_length(window, block.columns)) {
    planes_.slots = slots(window);
    const int64_t held = input_rows(window, block.rows) + planes_.slots * block.rows;
    ArrayGiver giver(memory);
    keys_ = giver.take<Key>(held * width_);
    offsets_ = giver.take<Offset>(held * width_);
    taken_ = giver.take<Key>(kTaken * taken_length_);
    planes_.held = giver.take<int64_t>(planes_.slots);
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

  Keys keys_at(int64_t at) const { return load_vector<Keys>(keys_ + at); }
  Offsets offsets_at(int64_t at) const { return load_vector<Offsets>(offsets_ + at); }
  void hold(const Maxima& maxima, int64_t at) {
    store_vector(keys_ + at, maxima.best);
    store_vector(offsets_ + at, maxima.offset);
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
      const Taps height = taps_of(window_, 1, block_.row + row, slab_.shape[1]);
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
      Maxima maxima = {keys_at(from + j), offsets_at(from + j)};
      Offsets row = {};
      for (int64_t i = 1; i < count; ++i) {
        row += below;
        const int64_t at = from + i * step + j;
        maxima.consider(keys_at(at), offsets_at(at) + row);
      }
      hold(maxima, to + j);
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
      Maxima maxima = {keys_at(plane_at(slot, row) + j), offsets_at(plane_at(slot, row) + j)};
      Offsets plane = {};
      for (int64_t i = 1; i < count; ++i) {
        slot = planes_.after(slot, depth_.step);
        const int64_t at = plane_at(slot, row) + j;
        const Offsets taken = maxima.consider(keys_at(at), offsets_at(at));
        plane = taken ? splat<Offsets>(static_cast<Offset>(i)) : plane;
      }
      const Offsets doubts = keys_of_.doubtful(maxima.best, saw_negative_zero);
      doubtful |= j + kStep < block_.columns ? doubts : doubts & result_rest_;
      store_vector(elements + j, PoolKeys<T>::to_elements(maxima.best));
      store_places(maxima.offset, plane, static_cast<int32_t>(corner + j * window_.stride[2]),
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
      Maxima maxima = {load_columns<stride>(from)};
      for (int64_t k = 1; k < kernel; ++k) {
        maxima.consider(load_columns<stride>(from + k * dilation),
                        splat<Offsets>(static_cast<Offset>(k * dilation)));
      }
      hold(maxima, to + j);
    }
  }

  template <int stride>
  Keys load_columns(const Key* from) const {
    if constexpr (stride != 0) {
      return load_strided<stride>(from);
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
      prefetch(ahead + j * kSize);
      Keys keys = keys_of_.from_elements(reader_.load(from + j * slab_.strides[2], count));
      if (count < kStep) keys = input_rest_ ? keys : splat<Keys>(PoolKeys<T>::kLowest);
      store_vector(to + j, keys);
    }
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
  const RowReader<T> reader_;
  const int64_t width_;         // of what is held, in elements
  const int64_t taken_length_;  // of a row that was taken, with padding
  Key* keys_;
  Offset* offsets_;
  Key* taken_;
  Ring planes_;                       // of the input
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
