// SPDX-License-Identifier: Apache-2.0
// Tensors as matrices: the dimensions before one tell which row, the others make it. Rows are
// dense, and elements aligned.
#pragma once

#include "base/status.h"
#include "engines/overlap.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A matrix within a dense tensor.
TensorView matrix_view(const TensorView& dense, int64_t rows, int64_t columns, int64_t row_step);

// An input, copied where its strides or its dtype are others. One that is absent stays so.
class MatrixInput {
 public:
  Status open(const TensorView& tensor, aclDataType dtype, int split);
  const TensorView& view() const { return matrix_; }

 private:
  TensorView matrix_;
  CopiedView copy_;
};

// An output. It is written elsewhere first where it has another dtype than results are rounded to,
// or where strides demand it. The very same elements may be read: those of a row are, before it is
// written.
class MatrixOutput {
 public:
  Status open(const TensorView& tensor, aclDataType rounded, int split);
  const TensorView& view() const { return matrix_; }
  Status close() const;  // once everything is written

 private:
  const TensorView* tensor_ = nullptr;
  TensorView matrix_;
  CopiedView staged_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
