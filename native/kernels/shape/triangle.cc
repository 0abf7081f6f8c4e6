// SPDX-License-Identifier: Apache-2.0
// Rows of matrices, each of which keeps its first or its last elements.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/runs.h"
#include "kernels/shape/views.h"
#include "operator/no_kernel.h"
#include "ops/inplace_tril.h"
#include "ops/inplace_triu.h"
#include "ops/tril.h"
#include "ops/triu.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kParallelBytes = 64 << 10;  // less is not worth a second thread

struct Triangle {
  TensorView self;
  TensorView out;
  int64_t diagonal;
  bool lower;
  int64_t item_size;

  int64_t columns() const { return out.shape[out.rank - 1]; }
  int64_t rows() const { return out.shape[out.rank - 2]; }
};

// Where a row begins; rows are counted over all matrices.
char* row_start(const TensorView& view, int64_t row, int64_t item_size) {
  int64_t offset = view.offset;
  for (int i = view.rank - 2; i >= 0; --i) {
    offset += row % view.shape[i] * view.strides[i];
    row /= view.shape[i];
  }
  return static_cast<char*>(view.data) + offset * item_size;
}

void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                   int64_t item_size, int64_t n) {
  if (from == to && from_stride == to_stride) return;
  if (from_stride == item_size && to_stride == item_size) {
    std::memcpy(to, from, n * item_size);
  } else {
    copy_run(from, from_stride, to, to_stride, item_size, n);
  }
}

void clear_elements(char* to, int64_t stride, int64_t item_size, int64_t n) {
  static constexpr char kZero[16] = {};
  if (stride == item_size) {
    std::memset(to, 0, n * item_size);
  } else {
    copy_run(kZero, 0, to, stride, item_size, n);
  }
}

void compute_row(const Triangle& triangle, int64_t row) {
  const int64_t size = triangle.item_size, columns = triangle.columns();
  const int64_t from_stride = triangle.self.strides[triangle.self.rank - 1] * size;
  const int64_t to_stride = triangle.out.strides[triangle.out.rank - 1] * size;
  const int64_t edge = row % triangle.rows() + triangle.diagonal + (triangle.lower ? 1 : 0);
  const int64_t cut = std::clamp<int64_t>(edge, 0, columns);
  const int64_t kept = triangle.lower ? 0 : cut, kept_end = triangle.lower ? cut : columns;
  const int64_t gone = triangle.lower ? cut : 0, gone_end = triangle.lower ? columns : cut;
  const char* const from = row_start(triangle.self, row, size);
  char* const to = row_start(triangle.out, row, size);
  if (kept < kept_end) {
    copy_elements(from + kept * from_stride, from_stride, to + kept * to_stride, to_stride, size,
                  kept_end - kept);
  }
  if (gone < gone_end) clear_elements(to + gone * to_stride, to_stride, size, gone_end - gone);
}

Status keep_triangle(const TensorView& self, int64_t diagonal, const TensorView& out, bool lower) {
  const int bits = data_type_bits(out.dtype);
  if (!can_move(bits)) return no_kernel_for(out);
  if (may_rewrite(out)) {  // the order of rows would count
    CopiedView dense;
    Status status = make_dense(shape_of(out), out.dtype, dense);
    if (status.ok()) status = keep_triangle(self, diagonal, dense.view, lower);
    return status.ok() ? copy(out, dense.view) : status;
  }
  Triangle triangle = {self, out, diagonal, lower, bits / 8};
  const int last = out.rank - 1;
  triangle.diagonal = std::clamp(diagonal, -out.shape[last - 1], out.shape[last]);
  if (std::llabs(out.strides[last]) > std::llabs(out.strides[last - 1])) {  // rows are columns
    swap_axes(triangle.self, last - 1, last);
    swap_axes(triangle.out, last - 1, last);
    triangle.diagonal = -triangle.diagonal;
    triangle.lower = !lower;
  }
  const int64_t columns = triangle.columns(), total = out.elements() / columns;
  const int64_t grain = std::max<int64_t>(kParallelBytes / (columns * triangle.item_size), 1);
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) compute_row(triangle, row);
  });
  return {};
}

}  // namespace

Status run(const TrilArgs& args) { return keep_triangle(args.self, args.diagonal, args.out, true); }

Status run(const TriuArgs& args) {
  return keep_triangle(args.self, args.diagonal, args.out, false);
}

Status run(const InplaceTrilArgs& args) {
  return keep_triangle(args.selfRef, args.diagonal, args.selfRef, true);
}

Status run(const InplaceTriuArgs& args) {
  return keep_triangle(args.selfRef, args.diagonal, args.selfRef, false);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
