// SPDX-License-Identifier: Apache-2.0
// Places that rows of an index name: each row points into the first axes of a table.
#include "engines/copy.h"
#include "kernels/index/index.h"
#include "kernels/index/scatter.h"
#include "ops/gather_nd.h"
#include "ops/inplace_put.h"
#include "ops/scatter_nd.h"
#include "ops/scatter_nd_update.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The columns of an index as indices of their own.
class Columns {
 public:
  explicit Columns(const TensorView& index)
      : count_(static_cast<int>(index.shape[index.rank - 1])) {
    for (int k = 0; k < count_; ++k) {
      columns_[k] = index;
      columns_[k].offset += k * index.strides[index.rank - 1];
      --columns_[k].rank;
    }
  }

  IndexedWalk walk(const TensorView& dense, const TensorView& table, bool wraps) const {
    IndexedWalk walk(dense, table);
    for (int k = 0; k < count_; ++k) walk.add_index(columns_[k], table, k, wraps);
    int own = 0;  // dimension of the dense tensor
    for (; own < columns_[0].rank; ++own) {
      walk.add_dimension(columns_[0].shape[own], dense.strides[own], 0);
      for (int k = 0; k < count_; ++k) {
        walk.dimension[own].index[k] = columns_[k].strides[own] * walk.index[k].item_size;
      }
    }
    for (int axis = count_; axis < table.rank; ++axis, ++own) {
      walk.add_dimension(table.shape[axis], dense.strides[own], table.strides[axis]);
    }
    return walk;
  }

  Status outcome(const char* op, bool good, const TensorView& table, bool wraps) const {
    NamedIndex named[IndexedWalk::kMaxIndices];
    for (int k = 0; k < count_; ++k) named[k] = {"indices", &columns_[k], table.shape[k], wraps};
    return index_outcome(op, good, named, count_);
  }

 private:
  int count_;
  TensorView columns_[IndexedWalk::kMaxIndices];
};

// Puts updates where the rows say; what was there first comes from `self`, if that is not there.
template <typename Args>
Status update(const Args& args, const TensorView* self, const TensorView& table) {
  const Status status = self != nullptr ? copy(table, *self) : Status();
  if (!status.ok()) return status;
  const Columns columns(args.indices);
  const bool good = scatter_indexed(columns.walk(args.updates, table, false), may_rewrite(table),
                                    table.dtype, Combine::kReplace);
  return columns.outcome(args.kOperator, good, table, false);
}

// A dense tensor as one of a single dimension.
TensorView flat(TensorView view) {
  const int64_t count = view.elements();
  view.rank = 1;
  view.shape[0] = count;
  view.strides[0] = 1;
  return view;
}

// The tensor as one of a single dimension, or a copy of it.
Status flatten(const TensorView& view, CopiedView& copied, TensorView& flattened) {
  const Status status = dense_as(view, view.dtype, copied);
  flattened = flat(copied.view);
  return status;
}

}  // namespace

Status run(const GatherNdArgs& args) {
  const Columns columns(args.indices);
  const bool wraps = args.negativeIndexSupport;
  const bool good = gather_indexed(columns.walk(args.out, args.self, wraps), may_rewrite(args.out));
  return columns.outcome(args.kOperator, good, args.self, wraps);
}

Status run(const ScatterNdArgs& args) { return update(args, &args.data, args.out); }

Status run(const ScatterNdUpdateArgs& args) { return update(args, nullptr, args.varRef); }

Status run(const InplacePutArgs& args) {
  CopiedView own_self, own_index, own_source;
  TensorView self, index, source;
  Status status = flatten(args.selfRef, own_self, self);
  if (status.ok()) status = flatten(args.index, own_index, index);
  if (status.ok()) status = flatten(args.source, own_source, source);
  if (!status.ok()) return status;
  Scattering s = {args.kOperator, &self, 0, &index, &source, &self};
  s.how = args.accumulate ? Combine::kAdd : Combine::kReplace;
  const Status put = scatter_along(s);
  if (own_self.memory != nullptr) status = copy(args.selfRef, own_self.view);
  return status.ok() ? put : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
