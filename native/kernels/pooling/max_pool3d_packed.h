// SPDX-License-Identifier: Apache-2.0
// Maxima of windows in planes with narrow rows, several of which share a vector.
//
// As in SlidingMaxima, maxima are found along width, height and depth, one axis after the other.
// Here the rows of a plane lie behind each other with the padding between them, so the maxima along
// width are those of one long row; windows that start in the padding are computed and not used.
// Rows that are a stride apart are neighbours, so the maxima along height are found the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/max_pool3d_keys.h"
#include "kernels/pooling/max_pool3d_maxima.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
class PackedMaxima {
  using Key = typename PoolKeys<T>::Key;
  using Keys = typename PoolKeys<T>::Keys;
  using Offsets = MaskOf<Keys>;
  using Offset = Element<Offsets>;
  using Maxima = RunningMaxima<T>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kStep = kLanes<Key>;

 public:
  // How much memory a result with planes of this size takes, in bytes; kTooMuch if it cannot be
  // computed this way, or not faster than one row after the other.
  static constexpr int64_t kTooMuch = INT64_MAX;
  static int64_t memory(const Slab& slab, const Window& window, int64_t rows, int64_t columns) {
    constexpr int64_t kMost = 1 << 12;  // so that nothing overflows
    if (columns > kStep || window.stride[2] > 2 || rows > kMost) return kTooMuch;
    for (int axis = 0; axis < 3; ++axis) {
      const bool small =
          std::max({window.kernel[axis], window.stride[axis], window.padding[axis]}) <= kMost;
      if (!small || window.dilation[axis] != 1) return kTooMuch;
      if (axis > 0 && slab.shape[axis] > kMost) return kTooMuch;
    }
    const int64_t reach =
        window.kernel[0] * slab.plane() + window.kernel[1] * slab.shape[2] + window.kernel[2];
    if (slab.elements() > INT32_MAX || reach > std::numeric_limits<Offset>::max()) return kTooMuch;
    return Layout(slab, window, rows, columns).bytes();
  }

  // The memory is aligned to lines of the cache.
  PackedMaxima(const Window& window, const Slab& slab, int64_t rows, int64_t columns, char* memory)
      : window_(window), slab_(slab), reader_(slab), layout_(slab, window, rows, columns) {
    ArrayGiver giver(memory);
    taken_ = giver.take<Key>(layout_.slots * layout_.taken);
    keys_ = giver.take<Key>(layout_.held());
    offsets_ = giver.take<Offset>(layout_.held());
    first_places_ = giver.take<int32_t>(layout_.results);
    places_ = giver.take<int32_t>(layout_.results);
    elements_ = giver.take<T>(layout_.results);
    for (int64_t i = 0; i < layout_.slots * layout_.taken; i += kStep) {
      store_vector(taken_ + i, splat<Keys>(PoolKeys<T>::kLowest));
    }
    for (int64_t h = 0; h < rows; ++h) {
      const int64_t row = (h * window.stride[1] - window.padding[1]) * slab.shape[2];
      for (int64_t w = 0; w < columns; ++w) {
        const int64_t column = w * window.stride[2] - window.padding[2];
        first_places_[h * columns + w] = static_cast<int32_t>(row + column);
      }
    }
    for (int i = 0; i < kStep; ++i) lanes_[i] = static_cast<Offset>(i);
    // A row and its neighbour are one where there is no padding between them.
    const bool seamless = layout_.pitch == columns * window.stride[2];
    runs_ = seamless ? 1 : rows;
    run_length_ = seamless ? rows * columns : columns;
  }

  // Computes a plane of the result, whose taps have elements. They ascend from plane to plane.
  // True if some elements have to be computed by the definition.
  bool compute(const Taps& depth) {
    const int64_t end = depth.first + depth.count;
    const int64_t first = std::max(next_, depth.first), count = end - first;
    // All planes are taken before the first is used, and so on: to load what was just stored, in
    // other vectors, takes long.
    for (int64_t i = 0; i < count; ++i) {
      Key* const to = taken_ + i * layout_.taken;
      layout_.input_columns <= kStep ? take_plane<true>(first + i, to)
                                     : take_plane<false>(first + i, to);
    }
    for (int64_t i = 0; i < count; ++i) {
      combine_columns(taken_ + i * layout_.taken, i * layout_.rows_held());
    }
    for (int64_t i = 0; i < count; ++i) {
      combine_rows(i * layout_.rows_held(), plane_at(slot_of(first + i)));
    }
    next_ = std::max(next_, end);
    if (depth.count == 2) return combine_planes<2>(depth);
    if (depth.count == 3) return combine_planes<3>(depth);
    return combine_planes<0>(depth);
  }

  // The plane, row by row.
  const T* elements() const { return elements_; }
  const int32_t* places() const { return places_; }

 private:
  static constexpr int64_t kAhead = 8 << 10;  // bytes, to fetch while others are used

  static int64_t padded(int64_t count) { return (count + kStep - 1) / kStep * kStep; }

  // Sizes are in elements.
  struct Layout {
    Layout(const Slab& slab, const Window& window, int64_t rows, int64_t columns)
        : slots(window.kernel[0]) {
      const int64_t stride = window.stride[2], padding = window.padding[2];
      const int64_t length = (columns - 1) * stride + window.kernel[2];
      input_columns = std::max<int64_t>(std::min(slab.shape[2], length - padding), 0);
      // The padding behind a row is the one before the next.
      const int64_t least = std::max(padding + input_columns, length - padding);
      result_pitch = std::max((least + stride - 1) / stride, columns);
      pitch = result_pitch * stride;
      const int64_t input_rows = (rows - 1) * window.stride[1] + window.kernel[1];
      class_rows = (input_rows + window.stride[1] - 1) / window.stride[1];
      maxima_of_rows = class_rows * window.stride[1] * result_pitch;
      taken = padded(padded(maxima_of_rows) * stride + window.kernel[2] + kStep);
      plane = rows * result_pitch;
      results = padded(rows * columns) + kStep;
    }
    int64_t rows_held() const { return padded(maxima_of_rows) + kStep; }
    int64_t plane_held() const { return padded(plane) + kStep; }
    int64_t held() const { return slots * (rows_held() + plane_held()); }
    int64_t bytes() const {
      return slots * taken * int64_t{sizeof(Key)} + held() * int64_t{sizeof(Key) + sizeof(Offset)} +
             results * int64_t{2 * sizeof(int32_t) + sizeof(T)};
    }

    int64_t slots;           // for the maxima of planes
    int64_t input_columns;   // that windows see
    int64_t pitch;           // from a row that was taken to the next
    int64_t result_pitch;    // from the maxima of one to those of the next
    int64_t class_rows;      // rows, a stride apart, that are neighbours
    int64_t maxima_of_rows;  // along width, of a plane
    int64_t taken;           // all rows of a plane, with padding
    int64_t plane;           // the maxima of a plane
    int64_t results;
  };

  int64_t plane_at(int64_t slot) const {
    return layout_.slots * layout_.rows_held() + slot * layout_.plane_held();
  }
  int64_t slot_of(int64_t plane) const {
    return static_cast<uint32_t>(plane) % static_cast<uint32_t>(layout_.slots);
  }

  // Rows in the order in which they lie, as each writes padding beyond its end. What is padding
  // from the first row on stays so. Members are copied, here and below, as stores of vectors might
  // change them for all the compiler knows.
  template <bool in_one_vector>
  void take_plane(int64_t plane, Key* to) {
    const int64_t pitch = layout_.pitch, class_rows = layout_.class_rows;
    const int64_t stride = window_.stride[1], rows = slab_.shape[1], row_step = slab_.strides[1];
    const int64_t columns = layout_.input_columns, step = slab_.strides[2];
    const char* const first_row = slab_.row(plane, 0);
    const int64_t whole = in_one_vector ? 0 : (columns - 1) / kStep * kStep;
    const Offsets inside = lanes_ < static_cast<Offset>(columns - whole);
    PoolKeys<T> keys_of = keys_of_;
    to += window_.padding[2];
    for (int64_t c = 0; c < stride; ++c) {
      int64_t h = c - window_.padding[1];
      for (int64_t i = 0; i < class_rows; ++i, h += stride, to += pitch) {
        if (h < 0 || h >= rows) continue;
        const char* const row = first_row + h * row_step;
        for (int64_t j = 0; j < whole; j += kStep) {
          store_vector(to + j, keys_of.from_elements(load_elements(row + j * step, kStep)));
        }
        const char* const rest = row + whole * step;
        const Keys keys = keys_of.from_elements(load_elements(rest, columns - whole));
        store_vector(to + whole, inside ? keys : splat<Keys>(PoolKeys<T>::kLowest));
      }
    }
    keys_of_ = keys_of;
  }

  Keys load_elements(const char* from, int64_t count) const {
    // Of a dense slab; the processor itself looks ahead no further than to the end of a page.
    prefetch(reinterpret_cast<uintptr_t>(from) + kAhead);
    return reader_.load(from, count);
  }

  // Lanes that nobody uses hold anything, so that an ordinary sum could overflow.
  template <typename Lanes>
  static Lanes wrapping_sum(Lanes a, Lanes b) {
    using Unsigned = Vector<std::make_unsigned_t<Element<Lanes>>>;
    return bit_cast<Lanes>(bit_cast<Unsigned>(a) + bit_cast<Unsigned>(b));
  }

  // The number of taps is a constant where it is small.
  void combine_columns(const Key* row, int64_t to) {
    const int64_t kernel = window_.kernel[2];
    if (window_.stride[2] == 1) {
      kernel == 3 ? combine_columns<1, 3>(row, to) : combine_columns<1, 0>(row, to);
    } else {
      kernel == 3   ? combine_columns<2, 3>(row, to)
      : kernel == 2 ? combine_columns<2, 2>(row, to)
                    : combine_columns<2, 0>(row, to);
    }
  }

  template <int stride, int taps>
  void combine_columns(const Key* row, int64_t to) {
    const int64_t kernel = taps ? taps : window_.kernel[2], end = layout_.maxima_of_rows;
    Key* const keys = keys_ + to;
    Offset* const offsets = offsets_ + to;
    for (int64_t j = 0; j < end; j += kStep) {
      const Key* from = row + j * stride;
      Maxima maxima = {load_strided<stride>(from)};
      for (int64_t k = 1; k < kernel; ++k) {
        maxima.consider(load_strided<stride>(from + k), splat<Offsets>(static_cast<Offset>(k)));
      }
      store_vector(keys + j, maxima.best);
      store_vector(offsets + j, maxima.offset);
    }
  }

  void combine_rows(int64_t from, int64_t to) {
    const int64_t kernel = window_.kernel[1];
    kernel == 3   ? combine_rows<3>(from, to)
    : kernel == 2 ? combine_rows<2>(from, to)
                  : combine_rows<0>(from, to);
  }

  template <int taps>
  void combine_rows(int64_t from, int64_t to) {
    const int64_t kernel = taps ? taps : window_.kernel[1], stride = window_.stride[1];
    const int64_t end = layout_.plane, pitch = layout_.result_pitch;
    const int64_t class_step = layout_.class_rows * pitch;
    Key* const keys = keys_;
    Offset* const offsets = offsets_;
    const auto below = static_cast<Offset>(slab_.shape[2]);
    for (int64_t j = 0; j < end; j += kStep) {
      Maxima maxima = {load_vector<Keys>(keys + from + j),
                       load_vector<Offsets>(offsets + from + j)};
      Offsets row = {};
      for (int64_t i = 1, c = 0, first = from + j; i < kernel; ++i) {
        // The next row is in the next class, or the next of the first class.
        if (++c == stride) {
          c = 0;
          first += pitch;
        }
        const int64_t at = first + c * class_step;
        row += below;
        maxima.consider(load_vector<Keys>(keys + at),
                        wrapping_sum(load_vector<Offsets>(offsets + at), row));
      }
      store_vector(keys + to + j, maxima.best);
      store_vector(offsets + to + j, maxima.offset);
    }
  }

  template <int taps>
  bool combine_planes(const Taps& depth) {
    const int64_t kernel = taps ? taps : depth.count;
    const bool saw_negative_zero = keys_of_.saw_negative_zero();
    const int64_t first_slot = slot_of(depth.first);
    const auto first_place = static_cast<int32_t>(depth.first * slab_.plane());
    const auto below = static_cast<Offset>(slab_.plane());
    const int64_t runs = runs_, length = run_length_, slots = layout_.slots;
    const int64_t pitch = layout_.result_pitch, planes = plane_at(0), held = layout_.plane_held();
    const Key* const keys = keys_ + planes;
    const Offset* const offsets = offsets_ + planes;
    Offsets doubtful = {};
    for (int64_t run = 0; run < runs; ++run) {
      for (int64_t j = 0; j < length; j += kStep) {
        const int64_t from = run * pitch + j, to = run * length + j;
        int64_t slot = first_slot;
        Maxima maxima = {load_vector<Keys>(keys + slot * held + from),
                         load_vector<Offsets>(offsets + slot * held + from)};
        Offsets plane = {};
        for (int64_t i = 1; i < kernel; ++i) {
          slot = slot + 1 < slots ? slot + 1 : 0;
          const int64_t at = slot * held + from;
          plane += below;
          maxima.consider(load_vector<Keys>(keys + at),
                          wrapping_sum(load_vector<Offsets>(offsets + at), plane));
        }
        const auto count = static_cast<Offset>(std::min(length - j, kStep));
        doubtful |= PoolKeys<T>::doubtful(maxima.best, saw_negative_zero) & (lanes_ < count);
        store_vector(elements_ + to, PoolKeys<T>::to_elements(maxima.best));
        store_places(maxima.offset, first_place, to);
      }
    }
    return any_lane(doubtful);
  }

  void store_places(Offsets offset, int32_t first, int64_t to) {
    using Words = Vector<int32_t>;
    constexpr int kWords = kLanes<int32_t>;
    Offset offsets[kStep];
    store_vector(offsets, offset);
    for (int i = 0; i < kStep; i += kWords) {
      Words words;
      if constexpr (sizeof(Offset) == sizeof(int32_t)) {
        words = offset;
      } else {
        words = bit_cast<Words>(load_halves(offsets + i));
      }
      const Words from = load_vector<Words>(first_places_ + to + i);
      store_vector(places_ + to + i, wrapping_sum(wrapping_sum(from, words), splat<Words>(first)));
    }
  }

  const Window& window_;
  const Slab slab_;
  const RowReader<T> reader_;
  const Layout layout_;
  Key* taken_;       // rows of planes of the input
  Key* keys_;        // maxima of these rows, and of planes
  Offset* offsets_;  // where they are, from the window's first element
  int32_t* first_places_;
  int32_t* places_;
  T* elements_;
  int64_t runs_, run_length_;  // of results that follow each other in a plane
  int64_t next_ = 0;           // plane of the input
  Offsets lanes_;              // their numbers
  PoolKeys<T> keys_of_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
