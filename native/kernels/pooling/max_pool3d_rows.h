// SPDX-License-Identifier: Apache-2.0
// Maxima of neighbouring windows, in vectors: one lane for each window of a row.
//
// A window's taps come in the order of the definition, so the lanes do what a single window does.
// Vectors are read from the tensor itself where its memory reaches far enough, whatever lies there:
// lanes beyond the row's end are not used, and columns outside the input count as minus infinity.
// Elsewhere, and from rows whose elements do not follow each other, a copy is read.
#pragma once

#include <limits>

#include "engines/elementwise.h"
#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"
#include "simd/permute.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
class MaximaOfRow {
  using Real = ComputeType<T>;
  using Values = Vector<Real>;
  using Places = MaskOf<Values>;
  using Place = Element<Places>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kCopied = 512;
  static constexpr int64_t kAhead = 4 << 10;  // bytes, to fetch while others are used

 public:
  static constexpr int kStep = kLanes<Real>;

  // Of kStep windows.
  T elements[kStep];
  Place places[kStep];

  MaximaOfRow(const Slab& slab, const Window& window)
      : slab_(slab),
        kernel_(window.kernel[2]),
        stride_(window.stride[2]),
        padding_(window.padding[2]),
        dilation_(window.dilation[2]),
        span_(kStep * stride_ + (kernel_ - 1) * dilation_),
        follow_(slab.shape[2] == 1 || slab.strides[2] == kSize) {
    begin_ = end_ = slab.data;
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t reach = (slab.shape[axis] - 1) * slab.strides[axis];
      (reach < 0 ? begin_ : end_) += reach;
    }
    end_ += kSize;
  }

  static bool possible(const Slab& slab, const Window& window) {
    for (int axis = 0; axis < 3; ++axis) {
      if (window.dilation[axis] < 1) return false;
    }
    return slab.elements() <= INT32_MAX && window.kernel[2] <= kCopied &&
           window.dilation[2] <= kCopied && window.stride[2] <= kCopied;
  }

  // The rows of the input that the next windows see.
  void look_into(const Taps& depth, const Taps& height) {
    depth_ = depth;
    height_ = height;
    const int64_t plane_reach = (depth.count - 1) * depth.step * slab_.strides[0];
    const int64_t row_reach = (height.count - 1) * height.step * slab_.strides[1];
    const char* const first_row = slab_.row(depth.first, height.first);
    // Steps may start from here on, and have to start before there, to stay in the slab's memory.
    const int64_t before = std::min<int64_t>(plane_reach, 0) + std::min<int64_t>(row_reach, 0);
    const int64_t behind = std::max<int64_t>(plane_reach, 0) + std::max<int64_t>(row_reach, 0);
    earliest_ = begin_ - (first_row + before);
    latest_ = end_ - (first_row + behind) - span_ * kSize;
  }

  // Computes the windows from `position` on, of which `count` exist. False if it cannot.
  bool compute(int64_t position, int64_t count) {
    if (depth_.count == 0 || height_.count == 0) return false;
    const int64_t first = position * stride_ - padding_;
    const int64_t last = first + (count - 1) * stride_ + (kernel_ - 1) * dilation_;
    const bool masked = first < 0 || last >= slab_.shape[2];
    if (masked && dilation_ != 1) return false;
    const bool in_memory = first * kSize >= earliest_ && first * kSize <= latest_;
    const bool copied = !follow_ || !in_memory;
    if (copied && span_ > kCopied) return false;
    if (masked) {
      by_stride<true>(first, copied);
    } else {
      by_stride<false>(first, copied);
    }
    return true;
  }

  // Whether maxima since the last call were NaN. In 16 bits those are not the element bit by bit.
  bool saw_nan() {
    Place seen = 0;
    for (int i = 0; i < kStep; ++i) seen |= nan_[i];
    nan_ = Places{};
    return seen != 0;
  }

 private:
  template <bool masked>
  void by_stride(int64_t first, bool copied) {
    if (stride_ == 1) return scan<1, masked>(first, copied);
    if (stride_ == 2) return scan<2, masked>(first, copied);
    return scan<0, masked>(first, copied);
  }

  // What the lanes know of their windows.
  struct Lanes {
    Values best;
    Places place;  // less the distance of the lane's window from the first

    // The value that is taken is found without the mask: the next one waits for it.
    void look_at(Values value, Place at) {
      const Places taken = replaces_maximum(value, best);
      best = value != value ? value : maximum(value, best);
      place = taken ? splat<Places>(at) : place;
    }
  };

  template <int stride, bool masked>
  void scan(int64_t first, bool copied) {
    constexpr Real kLowest = -std::numeric_limits<Real>::infinity();
    const int64_t width = slab_.shape[2], plane = slab_.plane(), step = kernel_ * dilation_;
    const Places lane = lane_numbers() * static_cast<Place>(stride_);
    Lanes lanes = {splat<Values>(kLowest), splat<Places>(place_of(first))};
    if (masked) {
      const Places column = lane + static_cast<Place>(first);
      lanes.place -= column < 0 ? column : Places{};  // the first column inside
    }
    const auto look_at = [&](Values value, int64_t column, int64_t place) {
      if (masked) {
        const Places columns = lane + static_cast<Place>(column);
        value =
            (columns >= 0) & (columns < static_cast<Place>(width)) ? value : splat<Values>(kLowest);
      }
      lanes.look_at(value, static_cast<Place>(place));
    };
    alignas(64) T copy[kCopied + 2 * kStep];
    for (int64_t i = 0; i < depth_.count; ++i) {
      const int64_t d = depth_.first + i * depth_.step;
      for (int64_t j = 0; j < height_.count; ++j) {
        const int64_t h = height_.first + j * height_.step;
        const char* row = slab_.row(d, h);
        // Later rows, where all of their lines are needed; the processor itself looks ahead no
        // further than to the end of a page.
        if (follow_ && stride_ * kSize <= kLineBytes) {
          prefetch_run(reinterpret_cast<uintptr_t>(row) + first * kSize + kAhead,
                       kStep * stride_ * kSize);
        }
        const T* from =
            copied ? copy_row(row, first, copy) : reinterpret_cast<const T*>(row + first * kSize);
        const int64_t place = d * plane + h * width + first;
        int64_t k = 0;
        if constexpr (stride == 2) {
          for (; dilation_ == 1 && k + 2 <= kernel_; k += 2) {
            const Values a = load_widened(from + k), b = load_widened(from + k + kStep);
            look_at(evens(a, b), first + k, place + k);
            look_at(odds(a, b), first + k + 1, place + k + 1);
          }
        }
        for (k *= dilation_; k < step; k += dilation_) {
          look_at(load_strided<stride>(from + k), first + k, place + k);
        }
      }
    }
    store_narrowed(elements, lanes.best);
    store_vector(places, lanes.place + lane);
    nan_ |= lanes.best != lanes.best;
  }

  template <int stride>
  Values load_strided(const T* from) const {
    if constexpr (stride == 1) {
      return load_widened(from);
    } else if constexpr (stride == 2) {
      return evens(load_widened(from), load_widened(from + kStep));
    } else {
      T taken[kStep];
      for (int i = 0; i < kStep; ++i) std::memcpy(taken + i, from + i * stride_, kSize);
      return load_widened(taken);
    }
  }

  // The columns that are read, as far as they exist.
  const T* copy_row(const char* row, int64_t first, T* copy) const {
    const int64_t begin = first < 0 ? 0 : first;
    const int64_t end = std::min(slab_.shape[2], first + span_);
    if (follow_) {
      if (begin < end) {
        std::memcpy(copy + (begin - first), row + begin * kSize, (end - begin) * kSize);
      }
    } else {
      for (int64_t w = begin; w < end; ++w) {
        copy[w - first] = load<T>(row + w * slab_.strides[2]);
      }
    }
    return copy;
  }

  Place place_of(int64_t first) const {
    return static_cast<Place>(depth_.first * slab_.plane() + height_.first * slab_.shape[2] +
                              first);
  }

  static Places lane_numbers() {
    Places numbers = {};
    for (int i = 0; i < kStep; ++i) numbers[i] = i;
    return numbers;
  }

  const Slab slab_;
  const int64_t kernel_, stride_, padding_, dilation_;
  const int64_t span_;        // columns that one step reads
  const bool follow_;         // the elements of a row follow each other in memory
  const char *begin_, *end_;  // of the slab's memory
  Taps depth_, height_;
  int64_t earliest_, latest_;  // where a step may start, in bytes from a row's begin
  Places nan_ = {};
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
