// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/copy.h"
#include "kernels/index/index.h"
#include "kernels/index/index_list.h"
#include "kernels/index/scatter.h"
#include "operator/index_error.h"
#include "operator/shapes.h"
#include "ops/index.h"
#include "ops/index_put_impl.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

bool fits(const TensorView& out, const Shape& selected) {
  const bool is_one = std::all_of(selected.dims, selected.dims + selected.rank,
                                  [](int64_t length) { return length == 1; });
  return has_shape(out, selected) || (is_one && out.elements() == 1);
}

bool broadcasts_to(const TensorView& values, const Shape& selected) {
  Shape shape = selected;
  return values.rank <= selected.rank && broadcast_into(&shape, values) &&
         std::equal(shape.dims, shape.dims + shape.rank, selected.dims);
}

}  // namespace

Status run(const IndexArgs& args) {
  if (args.self.rank == 0) return copy(args.out, args.self);
  IndexList list;
  const Status status = list.read(args.kOperator, args.indices, args.self);
  if (!status.ok()) return status;
  if (!fits(args.out, list.shape())) {
    return wrong_selection(args.kOperator, "out", args.out, list.shape());
  }
  TensorView out = args.out;
  if (out.rank != list.shape().rank) out.rank = 0;  // one element
  const bool good = gather_indexed(list.walk(out, args.self), may_rewrite(args.out));
  return list.outcome(good);
}

Status run(const IndexPutImplArgs& args) {
  IndexList list;
  Status status = list.read(args.kOperator, args.indices, args.selfRef);
  if (!status.ok() || list.size() == 0) return status;
  if (!broadcasts_to(args.values, list.shape())) {
    return wrong_selection(args.kOperator, "values", args.values, list.shape());
  }
  Combined combined;
  const Combine how = args.accumulate ? Combine::kAdd : Combine::kReplace;
  status = combined.prepare(args.selfRef, args.selfRef, args.values, how);
  if (!status.ok()) return status;
  const bool good = combined.run(list.walk(combined.source(), combined.table()));
  status = combined.finish();
  return status.ok() ? list.outcome(good) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
