// SPDX-License-Identifier: Apache-2.0
// Views of parts of a tensor, and of a tensor in another shape.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/status.h"
#include "engines/overlap.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// An axis below 0 counts from the end.
inline int axis_of(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Elements first, first + step, ... of an axis.
inline void narrow(TensorView& view, int axis, int64_t first, int64_t count, int64_t step = 1) {
  view.offset += first * view.strides[axis];
  view.shape[axis] = count;
  view.strides[axis] *= step;
}

inline void remove_axis(TensorView& view, int axis) {
  std::copy(view.shape + axis + 1, view.shape + view.rank, view.shape + axis);
  std::copy(view.strides + axis + 1, view.strides + view.rank, view.strides + axis);
  --view.rank;
}

inline void insert_axis(TensorView& view, int axis, int64_t length, int64_t stride) {
  std::copy_backward(view.shape + axis, view.shape + view.rank, view.shape + view.rank + 1);
  std::copy_backward(view.strides + axis, view.strides + view.rank, view.strides + view.rank + 1);
  view.shape[axis] = length;
  view.strides[axis] = stride;
  ++view.rank;
}

// An axis as two: so many times a shorter one.
inline void split_axis(TensorView& view, int axis, int64_t outer, int64_t inner) {
  const int64_t stride = view.strides[axis];
  narrow(view, axis, 0, inner);
  insert_axis(view, axis, outer, stride * inner);
}

// An axis as several, the last one the fastest.
inline void split_axis(TensorView& view, int axis, const int64_t* lengths, int count) {
  int64_t stride = view.strides[axis];
  remove_axis(view, axis);
  for (int i = count - 1; i >= 0; --i) {
    insert_axis(view, axis, lengths[i], stride);
    stride *= lengths[i];
  }
}

inline void swap_axes(TensorView& view, int a, int b) {
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
