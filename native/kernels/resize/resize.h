// SPDX-License-Identifier: Apache-2.0
// What both directions of nearest resizing share: two tensors of volumes and how they correspond.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "engines/elementwise.h"
#include "kernels/pooling/volume.h"
#include "kernels/resize/nearest.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// As rows are moved rather than computed with, less is not worth a second thread.
constexpr int64_t kTaskElements = 3 * kParallelElements;

constexpr int64_t kPrivateCacheBytes = 1 << 20;  // what a processor need not share with others

// A resizing from one tensor of volumes to another.
struct Resize {
  Volumes from;
  Volumes to;
  const Factor (&factors)[3];  // for depth, height and width
  int64_t item_size;

  int64_t bytes() const { return (elements_of(from) + elements_of(to)) * item_size; }
  bool past_cache() const { return bytes() > cache_bytes(); }
  // How many of `rows` equal parts of the target are worth a task of their own: the larger tensor
  // is what costs.
  int64_t rows_per_task(int64_t rows) const {
    const int64_t elements = std::max(elements_of(from), elements_of(to));
    return std::max<int64_t>(kTaskElements * rows / std::max<int64_t>(elements, 1), 1);
  }

 private:
  static int64_t elements_of(const Volumes& volumes) {
    const int64_t* shape = volumes.shape;
    return shape[0] * shape[1] * shape[2] * shape[3] * shape[4];
  }
};

// The end of the memory between the elements of a tensor.
inline const char* end_of(const Volumes& volumes, int64_t item_size) {
  const char* end = volumes.data + item_size;
  for (int i = 0; i < 5; ++i) {
    end += std::max<int64_t>(volumes.strides[i], 0) * (volumes.shape[i] - 1);
  }
  return end;
}

// Few enough channels that a line of the cache for each of them stays there, should they be far
// apart.
constexpr int64_t kChannelBlock = 256;

enum Axis { kBatch, kChannel, kDepth, kHeight, kWidth };

// A target as rows along one of its axes, in the order in which they are computed. Neighbours in
// memory come one after the other, so that lines of the cache are filled while they are there.
struct Rows {
  Rows(const Volumes& to, Axis row_axis) : volumes(to), axis(row_axis) {
    std::copy_n(to.shape, 5, sizes);
    sizes[axis] = 1;
    constexpr Axis kPlaceByPlace[] = {kBatch, kDepth, kHeight, kWidth, kChannel};
    constexpr Axis kSlabBySlab[] = {kBatch, kChannel, kDepth, kHeight, kWidth};
    const bool channels_inner =
        to.shape[kChannel] > 1 && std::abs(to.strides[kChannel]) < std::abs(to.strides[kWidth]);
    // The row's own axis has nothing to count and stands first.
    order[0] = axis;
    int filled = 1;
    for (const Axis next : channels_inner ? kPlaceByPlace : kSlabBySlab) {
      if (next != axis) order[filled++] = next;
    }
  }

  // Channels are not resized: where they lie side by side, they are the best rows.
  static Rows for_resizing(const Resize& resize) {
    const Volumes& from = resize.from;
    const bool side_by_side =
        from.shape[kChannel] > 1 && from.strides[kChannel] == resize.item_size;
    return Rows(resize.to, side_by_side ? kChannel : kWidth);
  }

  int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3] * sizes[4]; }
  int64_t length() const { return volumes.shape[axis]; }
  int64_t step() const { return volumes.strides[axis]; }
  // Whether each row starts in memory where the one before it ends.
  bool dense(int64_t item_size) const {
    if (length() > 1 && step() != item_size) return false;
    int64_t stride = item_size * length();
    for (int i = 4; i >= 0; --i) {
      if (sizes[order[i]] == 1) continue;
      if (volumes.strides[order[i]] != stride) return false;
      stride *= sizes[order[i]];
    }
    return true;
  }

  const Volumes& volumes;
  Axis axis;
  int64_t sizes[5];  // 1 along the rows
  Axis order[5];     // the last changes fastest
};

// One of the rows.
struct RowPlace {
  RowPlace(const Rows& target_rows, int64_t number)
      : rows(target_rows), address(rows.volumes.data) {
    for (int i = 4; i >= 0; --i) {
      const Axis axis = rows.order[i];
      at[axis] = 0;
      if (number == 0) continue;  // a division takes longer than a short row
      at[axis] = number % rows.sizes[axis];
      number /= rows.sizes[axis];
      address += at[axis] * rows.volumes.strides[axis];
    }
  }
  // How many rows from here on are alike in all places but the last.
  int64_t run() const { return rows.sizes[rows.order[4]] - at[rows.order[4]]; }
  // Skips up to that many.
  void advance(int64_t count) {
    for (int i = 4; i >= 0; --i, count = 1) {
      const Axis axis = rows.order[i];
      address += count * rows.volumes.strides[axis];
      at[axis] += count;
      if (at[axis] < rows.sizes[axis]) return;
      address -= rows.volumes.strides[axis] * at[axis];
      at[axis] = 0;
    }
  }
  const Rows& rows;
  char* address;
  int64_t at[5];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
