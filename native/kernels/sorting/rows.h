// SPDX-License-Identifier: Apache-2.0
// Tensors as dense rows along an axis.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/overlap.h"
#include "engines/sort.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A view with at least one dimension, of which one stands at another place; counted from 0.
TensorView with_axis_at(const TensorView& view, int axis, int place);
inline TensorView with_axis_last(const TensorView& view, int axis) {
  return with_axis_at(view, axis, view.rank > 0 ? view.rank - 1 : 0);
}

// An axis that may be counted from the end; a tensor without dimensions has one.
int row_axis(int64_t dim, const TensorView& view);

// What is written: the memory itself where it is dense and of the dtype, else memory of its own
// that give() copies.
class WrittenRows {
 public:
  Status take(const TensorView& view, aclDataType dtype);
  Status give() const;
  char* data() const { return data_; }
  int64_t* indices() const { return reinterpret_cast<int64_t*>(data_); }

 private:
  char* data_ = nullptr;
  TensorView target_;
  CopiedView own_;
};

// Sorts along an axis. `values` and `indices` hold the part of it, `values` cast to what it has;
// each may be null.
Status sort_along(const TensorView& self, int64_t dim, SortedPart part, const TensorView* values,
                  const TensorView* indices);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
