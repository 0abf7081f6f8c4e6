// SPDX-License-Identifier: Apache-2.0
// Inputs that share memory with an output but not its elements one by one: a result would be
// written where another one's input is still to be read. Those are read from copies, so that
// neither threads nor blocks decide what comes out.
#pragma once

#include <memory>

#include "base/status.h"
#include "engines/loop_nest.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where a loop over several operands meets one of them.
struct Walk {
  const char* start;
  const int64_t* strides;
  int64_t stride_bytes;  // what one of a stride moves
  int64_t item_size;
};

// From the first element to the last.
struct WalkedBytes {
  const char* first;
  const char* end;
};
inline WalkedBytes bytes_of(const Walk& walk, const int64_t* shape, int rank) {
  WalkedBytes bytes = {walk.start, walk.start + walk.item_size};
  int i = 0;
  do {  // there is at least one dimension, and mostly no other
    const int64_t extent = (shape[i] - 1) * walk.strides[i] * walk.stride_bytes;
    (extent < 0 ? bytes.first : bytes.end) += extent;
  } while (++i < rank);
  return bytes;
}

// Whether two walks over the same positions meet element by element.
bool same_elements(int rank, const Walk& a, const Walk& b);

// Whether they share memory otherwise. Walks that only enclose each other's elements count, too.
inline bool collide(const int64_t* shape, int rank, const Walk& a, const Walk& b) {
  const WalkedBytes one = bytes_of(a, shape, rank), other = bytes_of(b, shape, rank);
  return one.first < other.end && other.first < one.end && !same_elements(rank, a, b);
}

// Whether an operand after the first `outputs` collides with one of those.
bool needs_copy(const LoopNest& nest, int outputs, int operand);
bool needs_copies(const LoopNest& nest, int outputs);

// A dense tensor with memory of its own.
struct CopiedView {
  TensorView view;
  std::unique_ptr<char[]> memory;
};
Status make_dense(const Shape& shape, aclDataType dtype, CopiedView& made);

// A dense copy of a view.
Status copy_of(const TensorView& from, CopiedView& copied);

// Whether two tensors with elements touch the same bytes, or enclose each other's.
bool share_memory(const TensorView& a, const TensorView& b);

// Whether elements of a view may share a place, so that the order in which they are written counts.
bool may_rewrite(const TensorView& view);
// Replaces the views that need it by copies.
Status copy_views(const bool* needed, int count, const TensorView** views, CopiedView* copies);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
