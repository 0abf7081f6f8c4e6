// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/copy.h"
#include "kernels/creation/fill.h"
#include "kernels/shape/views.h"
#include "ops/diag.h"
#include "ops/diag_flat.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The elements of a matrix on a diagonal, from its first one on.
TensorView diagonal_of(const TensorView& matrix, int64_t diagonal, int64_t length) {
  TensorView view = matrix;
  if (length > 0) narrow(view, diagonal < 0 ? 0 : 1, std::abs(diagonal), length);
  view.rank = 1;
  view.shape[0] = length;
  view.strides[0] = matrix.strides[0] + matrix.strides[1];
  return view;
}

// Zeros, and the elements of self as one row in the diagonal.
Status put_diagonal(const TensorView& self, int64_t diagonal, const TensorView& out) {
  const Status status = fill_with_zero(out);
  if (!status.ok()) return status;
  if (out.rank != 2) return copy(out, self);  // one element
  TensorView place = diagonal_of(out, diagonal, self.elements());
  split_axis(place, 0, self.shape, self.rank);
  return copy(place, self);
}

}  // namespace

Status run(const DiagArgs& args) {
  if (args.self.empty()) return fill_with_zero(args.out);
  if (args.self.rank < 2) return put_diagonal(args.self, args.diagonal, args.out);
  return copy(args.out, diagonal_of(args.self, args.diagonal, args.out.elements()));
}

Status run(const DiagFlatArgs& args) { return put_diagonal(args.self, args.diagonal, args.out); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
