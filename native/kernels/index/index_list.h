// SPDX-License-Identifier: Apache-2.0
// Note [Lists of indices]
// The members of a list point into the first axes of a table, one member for each axis. A mask
// stands for as many axes as it has dimensions and for the indices of what is true in it. A member
// without elements leaves its axis alone. Together the members broadcast to one shape, which takes
// the place of their axes; where these are not neighbours it comes first.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/index.h"
#include "engines/overlap.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class IndexList {
 public:
  // Masks are read here, other members later.
  Status read(const char* op, const ListView<TensorView>& members, const TensorView& table);

  int size() const { return count_; }
  // Of what the indices select.
  const Shape& shape() const { return shape_; }
  // Over the elements of a tensor that broadcasts to the shape. The table may be a copy.
  IndexedWalk walk(const TensorView& dense, const TensorView& table) const;
  // What a launch reports.
  Status outcome(bool good) const;

 private:
  static constexpr int kMost = IndexedWalk::kMaxIndices;

  Status add_mask(const TensorView& mask, int axis);
  void add(const TensorView& index, int axis);
  void join(const TensorView& table);

  TensorView indices_[kMost];
  int axes_[kMost];
  int64_t limits_[kMost];
  int count_ = 0;
  Shape joint_;    // of the indices
  int place_ = 0;  // where it is in the shape
  Shape shape_;
  int from_[kMaxRank];             // axes of the table, -1 for those of the joint shape
  CopiedView coordinates_[kMost];  // of what is true in masks
  const char* op_ = "";
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
