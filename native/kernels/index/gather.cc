// SPDX-License-Identifier: Apache-2.0
#include "ops/gather.h"

#include "engines/overlap.h"
#include "kernels/index/index.h"
#include "ops/embedding.h"
#include "ops/gather_v2.h"
#include "ops/index_select.h"
#include "ops/take.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Gathering {
  const char* op;
  const char* parameter;  // what messages call the index
  const TensorView* self;
  int64_t dim;
  const TensorView* index;
  const TensorView* out;
  bool has_own_indices;  // every element has an index; else every slice of self
  bool wraps;
};

// A single element has an axis of length 1; one index is enough for it.
Status gather_along(const Gathering& g) {
  const TensorView table = with_dimension(*g.self);
  const int axis = axis_of(g.dim, table);
  TensorView places = *g.index;
  if (g.has_own_indices) {
    places = with_dimension(places);
  } else if (g.self->rank == 0) {
    places.rank = 0;
  } else if (places.rank + table.rank - 1 != g.out->rank) {
    places = with_dimension(places);
  }
  const TensorView dense = g.has_own_indices ? with_dimension(*g.out) : *g.out;
  const auto walk = g.has_own_indices ? walk_each : walk_along;
  const bool good = gather_indexed(walk(dense, table, axis, places, g.wraps), may_rewrite(*g.out));
  const NamedIndex named = {g.parameter, g.index, table.shape[axis], g.wraps};
  return index_outcome(g.op, good, &named, 1);
}

}  // namespace

Status run(const GatherV2Args& args) {
  return gather_along(
      {args.kOperator, "index", &args.self, args.dim, &args.index, &args.out, false, true});
}

Status run(const IndexSelectArgs& args) {
  return gather_along(
      {args.kOperator, "index", &args.self, args.dim, &args.index, &args.out, false, false});
}

Status run(const EmbeddingArgs& args) {
  return gather_along(
      {args.kOperator, "indices", &args.weight, 0, &args.indices, &args.out, false, false});
}

Status run(const GatherArgs& args) {
  return gather_along(
      {args.kOperator, "index", &args.self, args.dim, &args.index, &args.out, true, true});
}

// As from a dense tensor of one dimension.
Status run(const TakeArgs& args) {
  CopiedView dense;
  const Status status = dense_as(args.self, args.self.dtype, dense);
  if (!status.ok()) return status;
  TensorView& flat = dense.view;
  flat.rank = 1;
  flat.shape[0] = args.self.elements();
  flat.strides[0] = 1;
  return gather_along({args.kOperator, "index", &flat, 0, &args.index, &args.out, false, true});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
