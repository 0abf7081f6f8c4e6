// SPDX-License-Identifier: Apache-2.0
#include "kernels/index/index_list.h"

#include <algorithm>

#include "kernels/index/index.h"
#include "operator/index_error.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

int64_t count_true(const TensorView& mask) {
  const auto* const bytes = static_cast<const char*>(mask.data);
  int64_t found = 0;
  for (int64_t i = 0; i < mask.elements(); ++i) found += bytes[i] != 0;
  return found;
}

// Coordinates of what is true in a dense mask, dimension by dimension.
void write_coordinates(const TensorView& mask, int64_t selected, int64_t* coordinates) {
  const auto* const bytes = static_cast<const char*>(mask.data);
  const int64_t count = mask.elements();
  int64_t found = 0;
  for (int64_t i = 0; i < count && found < selected; ++i) {
    if (bytes[i] == 0) continue;
    int64_t rest = i;
    for (int k = mask.rank - 1; k >= 0; --k) {
      coordinates[k * selected + found] = rest % mask.shape[k];
      rest /= mask.shape[k];
    }
    ++found;
  }
}

}  // namespace

Status IndexList::add_mask(const TensorView& mask, int axis) {
  CopiedView dense;
  Status status = copy_of(mask, dense);
  if (!status.ok()) return status;
  const int64_t selected = count_true(dense.view);
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = mask.rank;
  shape.dims[1] = selected;
  CopiedView& made = coordinates_[axis];
  status = make_dense(shape, ACL_INT64, made);
  if (!status.ok()) return status;
  write_coordinates(dense.view, selected, static_cast<int64_t*>(made.view.data));
  TensorView column = made.view;
  column.rank = 1;
  column.shape[0] = selected;
  column.strides[0] = 1;
  for (int k = 0; k < mask.rank; ++k) {
    column.offset = k * selected;
    add(column, axis + k);
  }
  return {};
}

void IndexList::add(const TensorView& index, int axis) {
  indices_[count_] = index;
  axes_[count_++] = axis;
}

Status IndexList::read(const char* op, const ListView<TensorView>& members,
                       const TensorView& table) {
  op_ = op;
  int axis = 0;
  for (const TensorView& member : members) {
    const int taken = member.dtype == ACL_BOOL && !member.empty() ? member.rank : 1;
    if (axis + taken > std::min<int>(table.rank, kMost)) break;  // no check lets this through
    if (!member.empty() && member.dtype == ACL_BOOL) {
      const Status status = add_mask(member, axis);
      if (!status.ok()) return status;
    } else if (!member.empty()) {
      add(member, axis);
    }
    axis += taken;
  }
  for (int k = 0; k < count_; ++k) {
    Shape joint = joint_;
    if (!broadcast_into(&joint, indices_[k])) {
      return wrong_selection(op, "indices", indices_[k], joint_);
    }
    joint_ = joint;
  }
  join(table);
  return {};
}

void IndexList::join(const TensorView& table) {
  const bool neighbours = count_ == 0 || axes_[count_ - 1] - axes_[0] == count_ - 1;
  place_ = neighbours && count_ > 0 ? axes_[0] : 0;
  const auto append = [&](int64_t length, int from) {
    shape_.dims[shape_.rank] = length;
    from_[shape_.rank++] = from;
  };
  const auto append_joint = [&] {
    for (int i = 0; i < joint_.rank && shape_.rank < kMaxRank; ++i) append(joint_.dims[i], -1);
  };
  int k = 0;
  if (!neighbours) append_joint();
  for (int axis = 0; axis < table.rank && shape_.rank < kMaxRank; ++axis) {
    const bool is_indexed = k < count_ && axes_[k] == axis;
    if (is_indexed && k == 0 && neighbours) append_joint();
    if (is_indexed) {
      limits_[k++] = table.shape[axis];
    } else {
      append(table.shape[axis], axis);
    }
  }
}

IndexedWalk IndexList::walk(const TensorView& dense, const TensorView& table) const {
  IndexedWalk walk(dense, table);
  for (int k = 0; k < count_; ++k) walk.add_index(indices_[k], table, axes_[k], true);
  for (int i = 0; i < shape_.rank; ++i) {
    const int own = i - (shape_.rank - dense.rank);
    const int64_t stride = own < 0 || dense.shape[own] == 1 ? 0 : dense.strides[own];
    walk.add_dimension(shape_.dims[i], stride, from_[i] < 0 ? 0 : table.strides[from_[i]]);
    for (int k = 0; k < count_ && from_[i] < 0; ++k) {
      const TensorView& index = indices_[k];
      const int axis = i - place_ - (joint_.rank - index.rank);
      const bool moves = axis >= 0 && index.shape[axis] != 1;
      walk.dimension[i].index[k] = moves ? index.strides[axis] * walk.index[k].item_size : 0;
    }
  }
  return walk;
}

Status IndexList::outcome(bool good) const {
  NamedIndex named[kMost];
  for (int k = 0; k < count_; ++k) named[k] = {"indices", &indices_[k], limits_[k], true};
  return index_outcome(op_, good, named, count_);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
