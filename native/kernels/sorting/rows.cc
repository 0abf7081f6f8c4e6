// SPDX-License-Identifier: Apache-2.0
#include "kernels/sorting/rows.h"

#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

char* start_of(const TensorView& view) {
  return static_cast<char*>(view.data) + view.offset * data_type_bits(view.dtype) / 8;
}

// A result along an axis of self, which it may lack where one element of each row is left. Of a
// single element no dimension counts.
TensorView result_rows(const TensorView& result, const TensorView& self, int axis) {
  if (result.elements() == 1) {
    TensorView single = result;
    single.rank = 0;
    return with_axis_last(single, 0);
  }
  if (result.rank == self.rank) return with_axis_last(result, axis);
  TensorView rows = result;
  rows.shape[rows.rank] = 1;
  rows.strides[rows.rank++] = 1;
  return rows;
}

}  // namespace

int row_axis(int64_t dim, const TensorView& view) {
  return static_cast<int>(dim < 0 ? dim + (view.rank > 0 ? view.rank : 1) : dim);
}

TensorView with_axis_at(const TensorView& view, int axis, int place) {
  TensorView moved = view;
  if (view.rank == 0) {
    moved.rank = 1;
    moved.shape[0] = moved.strides[0] = 1;
    return moved;
  }
  const int step = axis < place ? 1 : -1;
  for (int i = axis; i != place; i += step) {
    moved.shape[i] = view.shape[i + step];
    moved.strides[i] = view.strides[i + step];
  }
  moved.shape[place] = view.shape[axis];
  moved.strides[place] = view.strides[axis];
  return moved;
}

Status WrittenRows::take(const TensorView& view, aclDataType dtype) {
  target_ = view;
  data_ = start_of(view);
  if (is_contiguous(view) && view.dtype == dtype && is_aligned(data_, 8)) return {};
  const Status status = make_dense(shape_of(view), dtype, own_);
  data_ = own_.memory.get();
  return status;
}

Status WrittenRows::give() const {
  return own_.memory == nullptr ? Status() : copy(target_, own_.view);
}

Status sort_along(const TensorView& self, int64_t dim, SortedPart part, const TensorView* values,
                  const TensorView* indices) {
  const int axis = row_axis(dim, self);
  const TensorView rows = with_axis_last(self, axis);
  part.dtype = self.dtype;
  part.length = rows.shape[rows.rank - 1];
  const TensorView* const written[] = {values, indices};
  DenseArray read;
  WrittenRows results[2];
  Status status = read.take(rows, rows.dtype);
  for (int i = 0; i < 2 && status.ok(); ++i) {
    if (written[i] == nullptr) continue;
    status = results[i].take(result_rows(*written[i], self, axis), i == 0 ? self.dtype : ACL_INT64);
  }
  if (!status.ok()) return status;
  status = sort_rows(part, rows.elements() / part.length, read.as<char>(), results[0].data(),
                     results[1].indices());
  for (int i = 0; i < 2 && status.ok(); ++i) status = results[i].give();
  return status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
