// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/copy.h"
#include "kernels/shape/views.h"
#include "ops/channel_shuffle.h"
#include "ops/flatten.h"
#include "ops/flip.h"
#include "ops/permute.h"
#include "ops/repeat.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const PermuteArgs& args) {
  TensorView from = args.self;
  for (int i = 0; i < from.rank; ++i) {
    const int axis = axis_of(args.dims.at(static_cast<uint64_t>(i)), from.rank);
    from.shape[i] = args.self.shape[axis];
    from.strides[i] = args.self.strides[axis];
  }
  return copy(args.out, from);
}

Status run(const FlattenArgs& args) {
  TensorView to = args.out;
  const int rows = axis_of(args.axis, std::max(args.self.rank, 1));
  split_axis(to, 1, args.self.shape + rows, args.self.rank - rows);
  split_axis(to, 0, args.self.shape, rows);
  return copy(to, args.self);
}

Status run(const FlipArgs& args) {
  TensorView from = args.self;
  for (const int64_t dim : args.dims) {
    if (from.rank == 0) break;
    const int axis = axis_of(dim, from.rank);
    narrow(from, axis, from.shape[axis] - 1, from.shape[axis], -1);
  }
  return copy(args.out, from);
}

// Channel c of out is channel c % groups * (channels / groups) + c / groups of self.
Status run(const ChannelShuffleArgs& args) {
  TensorView from = args.self, to = args.out;
  const int64_t in_group = from.shape[1] / args.groups;
  split_axis(from, 1, args.groups, in_group);
  swap_axes(from, 1, 2);
  split_axis(to, 1, in_group, args.groups);
  return copy(to, from);
}

// Every axis of out is so many times the axis of self, which is broadcast to that.
Status run(const RepeatArgs& args) {
  TensorView from = args.self, to = args.out;
  const int count = static_cast<int>(args.repeats.size);
  while (from.rank < count) insert_axis(from, 0, 1, 0);
  for (int axis = count - 1; axis >= 0; --axis) {
    const int64_t times = args.repeats.at(static_cast<uint64_t>(axis));
    if (times == 1) continue;
    split_axis(to, axis, times, from.shape[axis]);
    insert_axis(from, axis, 1, 0);
  }
  return copy(to, from);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
