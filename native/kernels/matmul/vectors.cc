// SPDX-License-Identifier: Apache-2.0
#include "engines/gemm.h"
#include "kernels/matmul/views.h"
#include "ops/dot.h"
#include "ops/einsum.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const DotArgs& args) {
  return gemm({as_row(as_column(args.out)), as_row(args.self), as_column(args.tensor)});
}

// The equations are those that the checks let through: the second has tensors of one dimension.
Status run(const EinsumArgs& args) {
  const TensorView &first = args.tensors.values[0], &second = args.tensors.values[1];
  if (first.rank == 1) return gemm({args.output, as_column(first), as_row(second)});
  return gemm({as_column(args.output), second, as_column(first)});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
