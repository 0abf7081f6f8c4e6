// SPDX-License-Identifier: Apache-2.0
// Variables that are updated in place: rows of them, or stretches of each batch.
#include "engines/copy.h"
#include "kernels/index/index.h"
#include "kernels/index/scatter.h"
#include "operator/index_error.h"
#include "ops/inplace_scatter_update.h"
#include "ops/scatter_max.h"
#include "ops/scatter_min.h"
#include "ops/scatter_mul.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
Status combine_rows(const Args& args, Combine how) {
  Scattering s = {args.kOperator, &args.varRef, 0, &args.indices, &args.updates, &args.varRef};
  s.how = how;
  s.parameter = "indices";
  return scatter_along(s);
}

// One position along the first axis.
TensorView batch_of(TensorView view, int64_t batch) {
  view.offset += batch * view.strides[0];
  view.shape[0] = 1;
  return view;
}

// Puts a batch of updates at an offset of a batch of the data; false if there is no such place.
struct Stretch {
  int64_t batch, offset;
};
bool put(const TensorView& data, int axis, const Stretch& at, const TensorView& updates,
         Status* status) {
  const int64_t length = updates.shape[axis];
  if (at.offset < 0 || at.offset > data.shape[axis] - length) return false;
  TensorView to = batch_of(data, at.batch);
  to.offset += at.offset * to.strides[axis];
  to.shape[axis] = length;
  *status = copy(to, updates);
  return true;
}

}  // namespace

Status run(const ScatterMaxArgs& args) { return combine_rows(args, Combine::kMaximum); }

Status run(const ScatterMinArgs& args) { return combine_rows(args, Combine::kMinimum); }

Status run(const ScatterMulArgs& args) { return combine_rows(args, Combine::kMultiply); }

// Indices are offsets, one for each batch of the updates, or pairs of a batch and an offset.
Status run(const InplaceScatterUpdateArgs& args) {
  CopiedView places;
  Status status = make_dense(shape_of(args.indices), ACL_INT64, places);
  if (status.ok()) status = copy(places.view, args.indices);
  const auto* const values = static_cast<const int64_t*>(places.view.data);
  const bool has_pairs = args.indices.rank == 2;
  const int axis = axis_of(args.axis, args.data);
  BadIndex bad;
  int64_t limit = 0;
  for (int64_t i = 0; status.ok() && i < args.updates.shape[0]; ++i) {
    const int64_t last = has_pairs ? 2 * i + 1 : i;
    const Stretch at = {has_pairs ? values[2 * i] : i, values[last]};
    const bool has_batch = at.batch >= 0 && at.batch < args.data.shape[0];
    if (has_batch && put(args.data, axis, at, batch_of(args.updates, i), &status)) continue;
    if (bad.position >= 0) continue;
    bad = has_batch ? BadIndex{last, at.offset} : BadIndex{2 * i, at.batch};
    limit = has_batch ? args.data.shape[axis] - args.updates.shape[axis] + 1 : args.data.shape[0];
  }
  if (!status.ok() || bad.position < 0) return status;
  return axis_index_out_of_range(args.kOperator, "indices", args.indices, bad, limit, false);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
