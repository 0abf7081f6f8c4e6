// SPDX-License-Identifier: Apache-2.0
#include "engines/matrix.h"

#include <cstdint>

#include "dtypes.h"
#include "engines/copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Merged {
  int64_t length = 1;
  int64_t step = 0;
};

// Some dimensions as a single one; false: there is no such.
bool merge(const TensorView& view, int first, int last, Merged* merged) {
  for (int i = last - 1; i >= first; --i) {
    if (view.shape[i] == 1) continue;
    if (merged->length == 1) {
      merged->step = view.strides[i];
    } else if (view.strides[i] != merged->step * merged->length) {
      return false;
    }
    merged->length *= view.shape[i];
  }
  return true;
}

// Elements of half a byte are.
bool is_aligned(const TensorView& view) {
  const auto size = static_cast<uintptr_t>(data_type_bits(view.dtype) / 8);
  return size <= 1 || reinterpret_cast<uintptr_t>(view.data) % size == 0;
}

bool as_matrix(const TensorView& view, int split, TensorView* matrix) {
  if (!is_aligned(view)) return false;
  Merged rows, columns;
  if (!merge(view, 0, split, &rows) || !merge(view, split, view.rank, &columns)) return false;
  if (columns.length > 1 && columns.step != 1) return false;
  *matrix = matrix_view(view, rows.length, columns.length, rows.step);
  return true;
}

}  // namespace

TensorView matrix_view(const TensorView& dense, int64_t rows, int64_t columns, int64_t row_step) {
  TensorView view;
  view.present = true;
  view.dtype = dense.dtype;
  view.format = ACL_FORMAT_ND;
  view.rank = 2;
  view.shape[0] = rows;
  view.shape[1] = columns;
  view.strides[0] = row_step;
  view.strides[1] = 1;
  view.offset = dense.offset;
  view.storage_elements = dense.storage_elements;
  view.data = dense.data;
  return view;
}

Status MatrixInput::open(const TensorView& tensor, aclDataType dtype, int split) {
  if (!tensor.present) return {};
  if (tensor.dtype == dtype && as_matrix(tensor, split, &matrix_)) return {};
  Status status = make_dense(shape_of(tensor), dtype, copy_);
  if (status.ok()) status = copy(copy_.view, tensor);
  if (status.ok()) as_matrix(copy_.view, split, &matrix_);
  return status;
}

Status MatrixOutput::open(const TensorView& tensor, aclDataType rounded, int split) {
  tensor_ = &tensor;
  const bool in_place = tensor.dtype == rounded && !may_rewrite(tensor);
  if (in_place && as_matrix(tensor, split, &matrix_)) return {};
  const Status status = make_dense(shape_of(tensor), rounded, staged_);
  if (status.ok()) as_matrix(staged_.view, split, &matrix_);
  return status;
}

Status MatrixOutput::close() const {
  return staged_.memory == nullptr ? Status{} : copy(*tensor_, staged_.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
