// SPDX-License-Identifier: Apache-2.0
// Note [Channels in lanes]
// Rows of a pool are often shorter than a vector, and adaptive windows differ in size. Where there
// are many channels, a vector holds the same element of several of them instead, and its lanes look
// at the same window. Channels that lie side by side in memory are read where they are; others are
// brought together, as much of them as one row of results needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engines/window_axis.h"
#include "kernels/pooling/volume.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Slabs in blocks of at most so many; those of a block lie at even distances.
class ChannelBlocks {
 public:
  ChannelBlocks(const Volumes& volumes, int64_t lanes) : lanes_(lanes), slabs_(volumes.slabs()) {
    const bool even = volumes.strides[0] == volumes.shape[1] * volumes.strides[1];
    const bool is_one = volumes.shape[0] == 1 || volumes.shape[1] == 1;
    together_ = even || is_one ? slabs_ : volumes.shape[1];
    step_ = volumes.strides[volumes.shape[1] == 1 ? 0 : 1];
  }

  bool fill_vectors() const { return together_ >= lanes_; }
  int64_t step() const { return step_; }  // in bytes, from a slab to the next
  int64_t count() const { return slabs_ / together_ * in_each(); }
  int64_t first(int64_t block) const {
    return block / in_each() * together_ + block % in_each() * lanes_;
  }
  int64_t size(int64_t block) const {
    return std::min(lanes_, together_ - block % in_each() * lanes_);
  }

 private:
  int64_t in_each() const { return (together_ + lanes_ - 1) / lanes_; }

  int64_t lanes_, slabs_, together_, step_;
};

// Rows of the slabs of a block. Elements behind those of the last slab are 0, or what was there.
template <typename T, int lanes>
class ChannelBand {
 public:
  static constexpr int64_t kMostPositions = (1 << 16) / (lanes * sizeof(T));

  // The slabs begin `step` bytes apart.
  void bring(const Slab& first, int64_t step, int64_t slabs, const Range& depth,
             const Range& height) {
    step_ = step;
    slabs_ = slabs;
    width_ = first.shape[2];
    if (step == kItem && slabs == lanes) {
      data_ = first.row(depth.begin, height.begin);
      std::copy_n(first.strides, 3, strides_);
      return;
    }
    data_ = reinterpret_cast<const char*>(memory_);
    strides_[2] = lanes * kItem;
    strides_[1] = width_ * strides_[2];
    strides_[0] = height.size() * strides_[1];
    for (int64_t d = 0; d < depth.size(); ++d) {
      T* const to = memory_ + d * height.size() * width_ * lanes;
      bring_plane(first, depth.begin + d, height, to);
    }
  }

  // All lanes of the element in a column of a row, counted from the first depth and height.
  const char* row(int64_t depth, int64_t height) const {
    return data_ + depth * strides_[0] + height * strides_[1];
  }
  int64_t column_step() const { return strides_[2]; }

 private:
  static constexpr int64_t kItem = sizeof(T);

  void bring_plane(const Slab& slab, int64_t depth, const Range& height, T* to) const {
    const char* const from = slab.row(depth, height.begin);
    const bool aligned = reinterpret_cast<uintptr_t>(from) % alignof(T) == 0;
    const bool has_arrays = aligned && (slab.strides[2] == kItem || width_ == 1);
    if (has_arrays && slab.strides[1] == width_ * kItem) {
      return turn(from, height.size() * width_, to);
    }
    for (int64_t h = 0; h < height.size(); ++h) {
      const char* const row = from + h * slab.strides[1];
      has_arrays ? turn(row, width_, to) : gather(row, slab.strides[2], to);
      to += width_ * lanes;
    }
  }

  void turn(const char* from, int64_t count, T* to) const {
    const Columns<T> columns = {reinterpret_cast<const T*>(from), step_ / kItem};
    transpose(columns, count, slabs_, to, lanes);
  }

  void gather(const char* from, int64_t stride, T* to) const {
    for (int64_t w = 0; w < width_; ++w) {
      for (int64_t i = 0; i < slabs_; ++i) {
        to[w * lanes + i] = load<T>(from + w * stride + i * step_);
      }
    }
  }

  alignas(64) T memory_[kMostPositions * lanes] = {};
  const char* data_ = nullptr;
  int64_t strides_[3] = {};
  int64_t step_ = 0, slabs_ = 0, width_ = 0;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
