// SPDX-License-Identifier: Apache-2.0
// Tensors of images as rows of any length, dense.
#pragma once

#include "engines/matrix.h"
#include "engines/rows.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class DenseRowsIn {
 public:
  Status open(const TensorView& tensor, int64_t columns) {
    const Status status = input_.open(tensor, tensor.dtype, 0);
    if (status.ok())
      matrix_ = matrix_view(input_.view(), input_.view().shape[1] / columns, columns, columns);
    return status;
  }
  FloatRows rows() const { return FloatRows(matrix_); }

 private:
  MatrixInput input_;
  TensorView matrix_;
};

// Results are rounded to a dtype first.
class DenseRowsOut {
 public:
  Status open(const TensorView& tensor, aclDataType rounded, int64_t columns) {
    const Status status = output_.open(tensor, rounded, 0);
    if (status.ok())
      matrix_ = matrix_view(output_.view(), output_.view().shape[1] / columns, columns, columns);
    return status;
  }
  FloatRows rows() const { return FloatRows(matrix_); }
  Status close() const { return output_.close(); }

 private:
  MatrixOutput output_;
  TensorView matrix_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
