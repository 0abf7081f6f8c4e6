// SPDX-License-Identifier: Apache-2.0
#include "engines/copy.h"
#include "engines/gemm.h"
#include "engines/overlap.h"
#include "kernels/matmul/views.h"
#include "operator/terms.h"
#include "ops/batch_mat_mul.h"
#include "ops/matmul.h"
#include "ops/mm.h"
#include "ops/mv.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status fill_with_zeros(const TensorView& out) {
  ScalarValue zero;
  zero.present = true;
  zero.dtype = ACL_FLOAT;
  return fill(out, zero);
}

// Results of another shape are filled in row-major order.
Status multiply_reshaped(const TensorView& self, const TensorView& mat2, const TensorView& out,
                         const Shape& shape) {
  CopiedView dense;
  Status status = make_dense(shape, out.dtype, dense);
  if (!status.ok()) return status;
  status = gemm({dense.view, self, mat2});
  if (!status.ok()) return status;
  TensorView reshaped = row_major_view(shape_of(out), out.dtype);
  reshaped.data = dense.view.data;
  return copy(out, reshaped);
}

}  // namespace

Status run(const MmArgs& args) { return gemm({args.out, args.self, args.mat2}); }

Status run(const BatchMatMulArgs& args) { return gemm({args.out, args.self, args.mat2}); }

Status run(const MvArgs& args) {
  return gemm({as_column(args.out), args.self, as_column(args.vec)});
}

Status run(const MatmulArgs& args) {
  const TensorView &self = args.self, &mat2 = args.mat2;
  if (self.empty() || mat2.empty()) return fill_with_zeros(args.out);
  const TensorView first = self.rank == 1 ? as_row(self) : self;
  const TensorView second = mat2.rank == 1 ? as_column(mat2) : mat2;
  if (!has_shape(args.out, product_shape(self, mat2))) {
    return multiply_reshaped(first, second, args.out, product_shape(first, second));
  }
  TensorView out = args.out;
  if (mat2.rank == 1) out = as_column(out);
  if (self.rank == 1) out = as_row(out);
  return gemm({out, first, second});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
