// SPDX-License-Identifier: Apache-2.0
#include "kernels/linalg/matrices.h"

#include "operator/singular.h"
#include "ops/inverse.h"
#include "ops/linalg_cholesky.h"
#include "ops/linalg_qr.h"
#include "ops/slogdet.h"
#include "ops/triangular_solve.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

enum QrMode { kReduced, kComplete, kOnlyR };

Status memory_of(const Troubles& troubles) {
  return troubles.no_memory.get().position < 0 ? Status{} : Status::out_of_memory();
}

// One number for each matrix of a tensor.
Shape batch_shape(const TensorView& view) {
  Shape shape = shape_of(view);
  shape.rank -= 2;
  return shape;
}

// The first rows of each matrix.
TensorView first_rows(const TensorView& matrices, int64_t rows) {
  TensorView part = matrices;
  part.shape[part.rank - 2] = rows;
  return part;
}

}  // namespace

Status run(const InverseArgs& args) {
  Matrices matrices;
  Status status = matrices.open(args.self, shape_of(args.self));
  if (!status.ok()) return status;
  Troubles troubles;
  for_each_matrix(matrices, troubles, [&](int64_t number) {
    return invert(matrices.dtype(), matrices.at(number), matrices.rows());
  });
  status = memory_of(troubles);
  if (status.ok()) status = copy(args.out, matrices.view());
  const int64_t singular = troubles.singular.get().position;
  return !status.ok() || singular < 0 ? status : singular_matrix("aclnnInverse", singular);
}

Status run(const LinalgCholeskyArgs& args) {
  Matrices matrices;
  const Status status = matrices.open(args.self, shape_of(args.self));
  if (!status.ok()) return status;
  Troubles troubles;
  for_each_matrix(matrices, troubles, [&](int64_t number) {
    factorise_cholesky(args.upper, static_cast<float*>(matrices.at(number)), matrices.rows());
    return MatrixOutcome::kDone;
  });
  return copy(args.out, matrices.view());
}

Status run(const SlogdetArgs& args) {
  Matrices matrices;
  CopiedView sign, log;
  const Shape shape = batch_shape(args.self);
  Status status = matrices.open(args.self, shape_of(args.self));
  if (status.ok()) status = make_dense(shape, matrices.dtype(), sign);
  if (status.ok()) status = make_dense(shape, matrices.dtype(), log);
  if (!status.ok()) return status;
  const int64_t item = data_type_bits(matrices.dtype()) / 8;
  Troubles troubles;
  for_each_matrix(matrices, troubles, [&](int64_t number) {
    return log_determinant(matrices.dtype(), matrices.at(number), matrices.rows(),
                           sign.memory.get() + number * item, log.memory.get() + number * item);
  });
  status = memory_of(troubles);
  if (status.ok()) status = copy(args.signOut, sign.view);
  return status.ok() ? copy(args.logOut, log.view) : status;
}

Status run(const TriangularSolveArgs& args) {
  Matrices a, x;
  Status status = x.open(args.self, shape_of(args.xOut));
  const int64_t n = args.A.shape[args.A.rank - 1];
  if (status.ok()) status = a.open(args.A, with_matrix(args.xOut, n, n));
  if (!status.ok()) return status;
  const Triangle triangle = {args.upper, args.transpose, args.unitriangular};
  Troubles troubles;
  for_each_matrix(x, troubles, [&](int64_t number) {
    solve_triangular(a.dtype(), triangle, a.at(number), n, x.at(number), x.columns());
    return MatrixOutcome::kDone;
  });
  status = copy(args.xOut, x.view());
  return status.ok() && args.mOut.present ? copy(args.mOut, a.view()) : status;
}

Status run(const LinalgQrArgs& args) {
  Matrices a, q;
  Status status = a.open(args.self, shape_of(args.self));
  if (!status.ok()) return status;
  const int64_t rows = a.rows(), least = std::min(rows, a.columns());
  const bool complete = args.mode == kComplete, has_q = args.mode != kOnlyR;
  if (has_q) {
    status = q.make(with_matrix(args.self, rows, complete ? rows : least), a.dtype());
    if (!status.ok()) return status;
  }
  Troubles troubles;
  for_each_matrix(a, troubles, [&](int64_t number) {
    return factorise_qr(a.dtype(), a.at(number), rows, a.columns(), has_q ? q.at(number) : nullptr,
                        has_q ? q.columns() : 0);
  });
  status = memory_of(troubles);
  if (status.ok() && has_q) status = copy(args.Q, q.view());
  return status.ok() ? copy(args.R, first_rows(a.view(), complete ? rows : least)) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
