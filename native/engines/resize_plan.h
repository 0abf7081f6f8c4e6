// SPDX-License-Identifier: Apache-2.0
// How a resizing is cut into pieces of rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dtypes.h"
#include "engines/resize_row.h"
#include "engines/resize_taps.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace resize_detail {

enum { kBatch, kChannel, kDepth, kHeight, kWidth };

constexpr int64_t kColumns = 1024;  // numbers of a row that are computed together

// One of the tensors, in bytes.
struct Side {
  Side(const TensorView& view, aclDataType sums) : dtype(view.dtype) {
    item_size = data_type_bits(dtype) / 8;
    data = static_cast<char*>(view.data) + view.offset * item_size;
    for (int i = 0; i < 5; ++i) {
      shape[i] = view.shape[i];
      // The stride of a single element moves nowhere and may be absurd.
      strides[i] = view.shape[i] == 1 ? 0 : view.strides[i] * item_size;
    }
    is_sum = dtype == sums;
  }

  aclDataType dtype;
  bool is_sum;  // elements are what sums are
  int64_t item_size;
  char* data;
  int64_t shape[5];
  int64_t strides[5];
};

// Where the numbers of a row lie: `inner` side by side for each place.
struct RowLayout {
  int64_t inner;
  int64_t stride;        // from place to place
  int64_t inner_stride;  // from channel to channel

  bool is_dense(int64_t item_size) const {
    return stride == inner * item_size && (inner == 1 || inner_stride == item_size);
  }
};

struct Plan {
  Plan(const TensorView& from_view, const TensorView& to_view, aclDataType sums)
      : from(from_view, sums), to(to_view, sums) {}

  Side from;
  Side to;
  ResizeAxis axes[3];
  bool gradient;
  Taps depth;   // of every depth of the target
  Taps height;  // likewise
  int64_t inner;
  int64_t columns;                    // places of a row that are computed together
  int64_t blocks;                     // pieces of a row
  int64_t rows;                       // of one target slab: depths times heights
  int64_t depth_slots, height_slots;  // for resized rows that are kept

  int64_t slabs() const { return to.shape[kBatch] * (inner > 1 ? 1 : to.shape[kChannel]); }
  RowLayout layout(const Side& side) const {
    return {inner, side.strides[kWidth], side.strides[kChannel]};
  }
  char* row(const Side& side, int64_t slab, int64_t depth_place, int64_t height_place) const {
    const int64_t channels = inner > 1 ? 1 : side.shape[kChannel];
    return side.data + slab / channels * side.strides[kBatch] +
           slab % channels * side.strides[kChannel] + depth_place * side.strides[kDepth] +
           height_place * side.strides[kHeight];
  }

  // A last axis of length 1 makes poor rows: the one before it takes its place.
  void turn_long_axis_last() {
    for (int turn = 0; turn < 2; ++turn) {
      if (axes[2].sources != 1 || axes[2].targets != 1) return;
      for (Side* side : {&from, &to}) {
        std::rotate(side->shape + kDepth, side->shape + kWidth, side->shape + kWidth + 1);
        std::rotate(side->strides + kDepth, side->strides + kWidth, side->strides + kWidth + 1);
      }
      std::rotate(axes, axes + 2, axes + 3);
    }
  }

  // Channels are not resized: where they lie side by side, rows consist of them, too.
  void choose_rows() {
    const int64_t channels = to.shape[kChannel];
    const bool side_by_side = channels > 1 && from.strides[kChannel] == from.item_size;
    inner = side_by_side ? channels : 1;
    columns = std::min(std::max<int64_t>(kColumns / inner, 1), to.shape[kWidth]);
    blocks = (to.shape[kWidth] + columns - 1) / columns;
    rows = to.shape[kDepth] * to.shape[kHeight];
  }

  bool set_taps() {
    if (!depth.set(axes[0], gradient, 0, to.shape[kDepth])) return false;
    if (!height.set(axes[1], gradient, 0, to.shape[kHeight])) return false;
    choose_slots();
    return true;
  }

  // Resized rows are kept by their place. Taps of a group are neighbours, or nearly: there are
  // enough slots that no two of them meet. Short rows are kept until all that need them are done.
  void choose_slots() {
    constexpr int64_t kMostDepths = 8, kMostSlots = 64, kKept = 1 << 14;
    depth_slots = std::clamp<int64_t>(depth.most(), 1, kMostDepths);
    const int64_t least = std::min(height.most() + kGroup, kMostSlots / depth_slots);
    const int64_t room = kKept / (depth_slots * columns * inner);
    height_slots = std::max(least, std::min(from.shape[kHeight], room));
  }
  int64_t slots() const { return depth_slots * height_slots; }
  int64_t slot_of(int64_t depth_place, int64_t height_place) const {
    return wrapped(depth_place, depth_slots) * height_slots + wrapped(height_place, height_slots);
  }

 private:
  // place % count, most often without the division.
  static int64_t wrapped(int64_t place, int64_t count) {
    return place < count ? place : place % count;
  }
};

}  // namespace resize_detail
}  // namespace ACLHOST_ISA
}  // namespace aclhost
