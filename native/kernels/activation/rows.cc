// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation/rows.h"

#include <algorithm>

#include "engines/copy.h"
#include "engines/matrix.h"
#include "operator/layouts.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
int64_t rows_before(const TensorView& tensor, int64_t dim) {
  if (dim < 0) dim += tensor.rank;
  int64_t rows = 1;
  for (int64_t i = 0; i < std::min<int64_t>(dim, tensor.rank); ++i) rows *= tensor.shape[i];
  return rows;
}

int64_t rows_in_groups(const TensorView& groups, int64_t rows) {
  if (!groups.present) return rows;
  __int128 sum = 0;
  const char* const first = static_cast<const char*>(groups.data) + groups.offset * 8;
  for (int64_t i = 0; i < groups.elements(); ++i) {
    sum += load<int64_t>(first + i * groups.strides[0] * 8);
  }
  return static_cast<int64_t>(std::clamp<__int128>(sum, 0, rows));
}

Status RowTensor::open(const TensorView& tensor, int64_t rows) {
  tensor_ = &tensor;
  rows_ = rows;
  length_ = rows > 0 ? tensor.elements() / rows : 0;
  if (!is_contiguous(tensor)) return copy_of(tensor, dense_);
  dense_.view = tensor;
  return {};
}

TensorView RowTensor::first(int64_t rows) const {
  return matrix_view(dense_.view, rows, length_, length_);
}

TensorView RowTensor::half(int64_t rows, int which, bool alternating) const {
  TensorView view = matrix_view(dense_.view, rows, length_ / 2, length_);
  view.strides[1] = alternating ? 2 : 1;
  view.offset += alternating ? which : which * view.shape[1];
  return view;
}

TensorView RowTensor::rest(int64_t rows) const {
  TensorView view = matrix_view(dense_.view, rows_ - rows, length_, length_);
  view.offset += rows * length_;
  return view;
}

Status RowTensor::close() const {
  return dense_.memory == nullptr ? Status{} : copy(*tensor_, dense_.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
