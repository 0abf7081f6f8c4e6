// SPDX-License-Identifier: Apache-2.0
#include "ops/roll.h"

#include "engines/copy.h"
#include "kernels/shape/views.h"
#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// How far elements go along an axis: from 0 to its length.
int64_t wrapped(int64_t shift, int64_t length) {
  const int64_t rest = shift % length;
  return rest < 0 ? rest + length : rest;
}

// Along one axis after another: what stays in order, then what comes around.
Status roll(TensorView from, TensorView to, const int64_t* shifts, int axis) {
  while (axis < to.rank && shifts[axis] == 0) ++axis;
  if (axis == to.rank) return copy(to, from);
  const int64_t length = to.shape[axis], shift = shifts[axis];
  for (const bool around : {false, true}) {
    TensorView source = from, place = to;
    narrow(source, axis, around ? length - shift : 0, around ? shift : length - shift);
    narrow(place, axis, around ? 0 : shift, source.shape[axis]);
    const Status rolled = roll(source, place, shifts, axis + 1);
    if (!rolled.ok()) return rolled;
  }
  return {};
}

TensorView as_row(const TensorView& dense) {
  TensorView row = dense;
  row.rank = 1;
  row.shape[0] = dense.elements();
  row.strides[0] = 1;
  return row;
}

// The tensor as one row, which only a dense one is.
Status roll_row(const TensorView& x, int64_t shift, const TensorView& out) {
  CopiedView source, result;
  source.view = x;
  result.view = out;
  Status status;
  if (!is_contiguous(x)) status = copy_of(x, source);
  if (status.ok() && !is_contiguous(out)) status = make_dense(shape_of(out), out.dtype, result);
  if (!status.ok()) return status;
  const int64_t shifts[] = {wrapped(shift, out.elements())};
  status = roll(as_row(source.view), as_row(result.view), shifts, 0);
  return status.ok() && result.memory ? copy(out, result.view) : status;
}

}  // namespace

Status run(const RollArgs& args) {
  if (args.dims.size == 0) return roll_row(args.x, args.shifts.at(0), args.out);
  int64_t shifts[kMaxRank] = {};
  for (uint64_t i = 0; i < args.dims.size; ++i) {
    const int axis = axis_of(args.dims.at(i), args.out.rank);
    const int64_t length = args.out.shape[axis];
    shifts[axis] = (shifts[axis] + wrapped(args.shifts.at(i), length)) % length;
  }
  return roll(args.x, args.out, shifts, 0);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
