// SPDX-License-Identifier: Apache-2.0
// Note [Indexed walks]
// A walk goes over the positions of a dense tensor. A position lies in another tensor, the table,
// where the strides of the walk and the values of index tensors say. Elements are moved by their
// width.
//
// Every index is read once, checked and used: a client that changes it meanwhile does not get past
// the check. Where one is out of range, the dense element becomes 0.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct IndexedWalk {
  static constexpr int kMaxIndices = 8;

  // Lengths and strides of one dimension, in bytes.
  struct Dimension {
    int64_t length, dense, table;
    int64_t index[kMaxIndices];
  };
  // Values from 0 to limit - 1 name places that lie `stride` bytes apart; `wrap` is added to
  // negative ones.
  struct Index {
    const char* start;
    int64_t item_size, limit, wrap, stride;
  };

  IndexedWalk(const TensorView& dense_view, const TensorView& table_view);

  // Appends a faster dimension; strides are in elements.
  void add_dimension(int64_t length, int64_t dense_stride, int64_t table_stride);
  // Appends an index along an axis of the table. The dimensions know nothing of it yet.
  void add_index(const TensorView& view, const TensorView& table_view, int axis, bool wraps);

  bool empty() const;

  char* dense;
  char* table;
  int64_t item_size;
  int rank = 0;
  int indices = 0;
  Dimension dimension[kMaxRank];
  Index index[kMaxIndices];
};

// The dense tensor has the dimensions of the index in place of an axis of the table.
IndexedWalk walk_along(const TensorView& dense, const TensorView& table, int axis,
                       const TensorView& index, bool wraps);

// Every element has an index of its own along an axis; the index gives the shape.
IndexedWalk walk_each(const TensorView& dense, const TensorView& table, int axis,
                      const TensorView& index, bool wraps);

// The same positions in as few dimensions as possible, in the same order.
void coalesce(IndexedWalk& walk);

// How many there are, with all dimensions.
int64_t positions(const IndexedWalk& walk);

// Whether rows, which have a place in common, lie farther apart in memory than the indexed run's
// elements do: tiles of kAcrossTile elements then find what lies beside them still in a cache.
bool lies_across(const IndexedWalk& walk, const IndexedWalk::Dimension& run,
                 const IndexedWalk::Dimension& row);
constexpr int64_t kAcrossTile = 64;

// Whether indices change along a dimension.
bool is_indexed(const IndexedWalk& walk, const IndexedWalk::Dimension& dimension);

// Where a walk is at a position, counted in row-major order.
struct WalkedPlace {
  char* dense;
  char* table;
  const char* index[IndexedWalk::kMaxIndices];
};
WalkedPlace place_at(const IndexedWalk& walk, int64_t position);

// A tensor with at least one dimension.
TensorView with_dimension(const TensorView& view);

// An axis that may be counted from the end.
inline int axis_of(int64_t axis, const TensorView& view) {
  return static_cast<int>(axis < 0 ? axis + view.rank : axis);
}

// Whether all indices were in range. The order counts where elements of the dense tensor share
// places.
bool gather_indexed(IndexedWalk walk, bool in_order);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
