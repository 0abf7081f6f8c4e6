// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/inline_vector.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "kernels/shape/views.h"
#include "ops/cat.h"
#include "ops/stack.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

bool is_hollow(const TensorView& view) { return view.rank == 1 && view.shape[0] == 0; }

aclDataType common_dtype(const ListView<TensorView>& members, bool with_hollow) {
  aclDataType common = ACL_DT_UNDEFINED;
  for (const TensorView& member : members) {
    if (!with_hollow && is_hollow(member)) continue;
    common = common == ACL_DT_UNDEFINED ? member.dtype : promote(member.dtype, common);
  }
  return common;
}

// By way of another type: two roundings may differ from one.
Status copy_through(aclDataType dtype, const TensorView& to, const TensorView& from) {
  if (from.dtype == dtype || to.dtype == dtype) return copy(to, from);
  CopiedView between;
  Status status = make_dense(shape_of(from), dtype, between);
  if (status.ok()) status = copy(between.view, from);
  return status.ok() ? copy(to, between.view) : status;
}

// Members one after the other along an axis of `out`.
Status join(const ListView<TensorView>& members, aclDataType dtype, int axis,
            const TensorView& out) {
  int64_t first = 0;
  for (const TensorView& member : members) {
    if (member.empty()) continue;
    TensorView part = out;
    narrow(part, axis, first, member.shape[axis]);
    first += member.shape[axis];
    const Status copied = copy_through(dtype, part, member);
    if (!copied.ok()) return copied;
  }
  return {};
}

}  // namespace

Status run(const CatArgs& args) {
  const TensorView* only = nullptr;
  int64_t count = 0;
  for (const TensorView& member : args.tensors) {
    if (member.empty()) continue;
    only = &member;
    ++count;
  }
  if (count == 0) return {};
  if (count == 1) return copy(args.out, *only);
  const aclDataType dtype = common_dtype(args.tensors, false);
  return join(args.tensors, dtype, axis_of(args.dim, args.out.rank), args.out);
}

Status run(const StackArgs& args) {
  const int rank = args.tensors.values[0].rank + 1;
  const int axis = axis_of(args.dim, rank);
  const aclDataType dtype = common_dtype(args.tensors, true);
  if (args.out.rank != rank) return copy_through(dtype, args.out, args.tensors.values[0]);
  InlineVector<TensorView, 8> members;
  for (const TensorView& tensor : args.tensors) {
    TensorView& member = members.add();
    copy_view(tensor, &member);
    insert_axis(member, axis, 1, 0);
  }
  return join({true, args.tensors.size, members.data()}, dtype, axis, args.out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
