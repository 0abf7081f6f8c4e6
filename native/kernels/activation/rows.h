// SPDX-License-Identifier: Apache-2.0
// Tensors as rows: the dimensions before one tell which row, the others make it.
#pragma once

#include <cstdint>

#include "engines/overlap.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

int64_t rows_before(const TensorView& tensor, int64_t dim);  // below 0: counted from the end

// How many rows belong to groups of these sizes: of so many at most, all if there are no groups.
int64_t rows_in_groups(const TensorView& groups, int64_t rows);

// A tensor whose rows are needed one after another: dense, else a copy of it.
class RowTensor {
 public:
  Status open(const TensorView& tensor, int64_t rows);

  // The first rows as a whole, and the elements of one of their two halves, which may alternate.
  TensorView first(int64_t rows) const;
  TensorView half(int64_t rows, int which, bool alternating) const;
  // Those after the first.
  TensorView rest(int64_t rows) const;

  Status close() const;  // what was written to a copy becomes the tensor's

 private:
  const TensorView* tensor_ = nullptr;
  CopiedView dense_;
  int64_t rows_ = 0, length_ = 0;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
