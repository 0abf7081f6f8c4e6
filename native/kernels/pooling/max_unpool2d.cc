// SPDX-License-Identifier: Apache-2.0
// Unpooling of images: volumes of one plane.
#include "ops/max_unpool2d.h"

#include "engines/copy.h"
#include "kernels/pooling/staged_result.h"
#include "kernels/pooling/unpooling.h"
#include "ops/max_unpool2d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const MaxUnpool2dArgs& args) {
  Shape shape = shape_of(args.self);
  shape.dims[shape.rank - 2] = args.outputSize.at(0);
  shape.dims[shape.rank - 1] = args.outputSize.at(1);
  StagedResult out(args.out, shape, args.self.dtype);
  const Status prepared = out.prepare();
  if (!prepared.ok()) return prepared;
  const Status moved = scatter_unpooled({args.kOperator, args.indices, with_depth(out.view()),
                                         with_depth(args.self), with_depth(args.indices)});
  const Status delivered = out.deliver();  // also what lies beside an index that names no place
  return moved.ok() ? delivered : moved;
}

Status run(const MaxUnpool2dBackwardArgs& args) {
  StagedResult out(args.out, shape_of(args.out), args.gradOutput.dtype);
  TensorView wide = row_major_view(shape_of(args.indices), ACL_INT64);
  std::unique_ptr<char[]> memory;
  Status status = out.prepare();
  if (status.ok() && args.indices.dtype == ACL_INT32) {
    memory = allocate(wide.storage_elements * 8);
    if (!memory) return no_memory();
    wide.data = memory.get();
    status = copy(wide, args.indices);
  } else {
    copy_view(args.indices, &wide);
  }
  if (!status.ok()) return status;
  const Status moved = gather_pooled({args.kOperator, args.indices, with_depth(args.gradOutput),
                                      with_depth(out.view()), with_depth(wide)});
  const Status delivered = out.deliver();
  return moved.ok() ? delivered : moved;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
