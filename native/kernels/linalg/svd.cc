// SPDX-License-Identifier: Apache-2.0
#include "base/svd.h"

#include "kernels/linalg/matrices.h"
#include "ops/svd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The singular values of a matrix as a row.
Shape rows_shape(const TensorView& view, int64_t length) { return with_matrix(view, 1, length); }

Status deliver_rows(const TensorView& out, const Matrices& rows) {
  TensorView values = rows.view();
  const int last = values.rank - 1;
  values.shape[last - 1] = values.shape[last];
  values.strides[last - 1] = values.strides[last];
  --values.rank;
  return copy(out, values);
}

}  // namespace

Status run(const SvdArgs& args) {
  Matrices a, sigma, u, v;
  Status status = a.open(args.input, shape_of(args.input));
  if (!status.ok()) return status;
  const int64_t rows = a.rows(), columns = a.columns(), least = std::min(rows, columns);
  status = sigma.make(rows_shape(args.input, least), a.dtype());
  const int64_t left = args.fullMatrices ? rows : least,
                right = args.fullMatrices ? columns : least;
  const bool vectors = args.computeUV;
  if (status.ok() && vectors) status = u.make(with_matrix(args.input, rows, left), a.dtype());
  if (status.ok() && vectors) status = v.make(with_matrix(args.input, columns, right), a.dtype());
  if (!status.ok()) return status;
  Troubles troubles;
  for_each_matrix(a, troubles, [&](int64_t number) {
    const Svd to = {sigma.at(number), vectors ? u.at(number) : nullptr,
                    vectors ? v.at(number) : nullptr, left, right};
    return decompose(a.dtype(), a.at(number), rows, columns, to);
  });
  if (troubles.no_memory.get().position >= 0) return Status::out_of_memory();
  status = deliver_rows(args.sigma, sigma);
  if (status.ok() && vectors) status = copy(args.u, u.view());
  return status.ok() && vectors ? copy(args.v, v.view()) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
