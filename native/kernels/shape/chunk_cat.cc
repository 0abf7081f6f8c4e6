// SPDX-License-Identifier: Apache-2.0
#include "ops/chunk_cat.h"

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

TensorView matrix(TensorView view, int64_t offset, int64_t rows, int64_t columns,
                  int64_t row_stride, int64_t column_stride) {
  view.offset += offset;
  view.rank = 2;
  view.shape[0] = rows;
  view.shape[1] = columns;
  view.strides[0] = row_stride;
  view.strides[1] = column_stride;
  return view;
}

Status fill_with_zero(const TensorView& view) {
  ScalarValue zero;
  zero.present = true;
  zero.dtype = ACL_BOOL;
  return view.empty() ? Status{} : fill(view, zero);
}

// Chunks of a dense tensor as rows of a matrix: whole ones, the rest of one, and zeros.
Status put_chunks(const TensorView& dense, const TensorView& out, int64_t column, int64_t width) {
  const int64_t count = dense.elements(), whole = count / width, rest = count % width;
  const int64_t down = out.strides[0], right = out.strides[1];
  const auto part = [&](int64_t row, int64_t rows, int64_t first, int64_t columns) {
    return matrix(out, row * down + (column + first) * right, rows, columns, down, right);
  };
  Status status;
  if (whole > 0) status = copy(part(0, whole, 0, width), matrix(dense, 0, whole, width, width, 1));
  if (status.ok() && rest > 0) {
    status = copy(part(whole, 1, 0, rest), matrix(dense, whole * width, 1, rest, rest, 1));
    if (status.ok()) status = fill_with_zero(part(whole, 1, rest, width - rest));
  }
  const int64_t used = whole + (rest > 0);
  return status.ok() ? fill_with_zero(part(used, out.shape[0] - used, 0, width)) : status;
}

// A result of one element may have any rank.
TensorView as_matrix(const TensorView& out) {
  return out.rank == 2 ? out : matrix(out, 0, 1, 1, 1, 1);
}

}  // namespace

Status run(const ChunkCatArgs& args) {
  const TensorView out = as_matrix(args.out);
  int64_t column = 0;
  for (const TensorView& tensor : args.tensors) {
    if (tensor.empty()) continue;
    CopiedView dense;
    Status status = dense_as(tensor, tensor.dtype, dense);
    const int64_t length = tensor.shape[0], rows = out.shape[0];
    const int64_t width = (length + rows - 1) / rows * (tensor.elements() / length);
    if (status.ok()) status = put_chunks(dense.view, out, column, width);
    if (!status.ok()) return status;
    column += width;
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
