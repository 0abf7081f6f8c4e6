// SPDX-License-Identifier: Apache-2.0
// The terms about lists of indices; the Python half is src/aclhost/spec/indexed.py.
#include <algorithm>

#include "operator/shapes.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

bool is_mask(const TensorView& member) { return member.dtype == ACL_BOOL; }

// Calls visit(axis, member) for members with elements and the first of the axes that they stand
// for, as long as it returns true.
template <typename Visit>
void for_each_index(const Frame& frame, TermCode list, const Visit& visit) {
  int64_t axis = 0;
  for (const TensorView& member : frame.args.tensor_list(static_cast<int>(list))) {
    if (member.present && !member.empty() && !visit(axis, member)) return;
    axis += member.present && !member.empty() && is_mask(member) ? member.rank : 1;
  }
}

// Whether a member is as long as the axes from one on.
bool is_as_long(const TensorView& view, int64_t axis, const TensorView& member) {
  return axis + member.rank <= view.rank &&
         std::equal(member.shape, member.shape + member.rank, view.shape + axis);
}

// The shape of an index; of a mask, as if all of it were true.
TensorView selected(const TensorView& member) {
  TensorView view;
  copy_view(member, &view);
  if (!is_mask(member)) return view;
  int64_t count = 1;
  for (int i = 0; i < member.rank; ++i) count = saturated(__int128{count} * member.shape[i]);
  view.rank = 1;
  view.shape[0] = count;
  return view;
}

void append(Shape& shape, int64_t length) {
  if (shape.rank < kMaxRank) shape.dims[shape.rank++] = length;
}

Shape indexed(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  Shape joint;
  bool taken[kMaxRank] = {};
  int first = view.rank, last = -1, count = 0;
  for_each_index(frame, code[2], [&](int64_t axis, const TensorView& member) {
    broadcast_into(&joint, selected(member));
    const int64_t end = std::min<int64_t>(axis + (is_mask(member) ? member.rank : 1), view.rank);
    for (int64_t i = axis; i < end; ++i, ++count) {
      taken[i] = true;
      first = std::min(first, static_cast<int>(i));
      last = static_cast<int>(i);
    }
    return true;
  });
  if (count == 0) return shape_of(view);
  const int place = last - first == count - 1 ? first : 0;
  Shape shape;
  for (int axis = 0; axis <= view.rank; ++axis) {
    for (int i = 0; axis == place && i < joint.rank; ++i) append(shape, joint.dims[i]);
    if (axis < view.rank && !taken[axis]) append(shape, view.shape[axis]);
  }
  return shape;
}

Shape selected_by_rows(const TensorView& view, const TensorView& index) {
  const int64_t last = index.rank > 0 ? index.shape[index.rank - 1] : 0;
  Shape shape;
  for (int i = 0; i + 1 < index.rank; ++i) append(shape, index.shape[i]);
  for (int64_t i = std::clamp<int64_t>(last, 0, view.rank); i < view.rank; ++i) {
    append(shape, view.shape[i]);
  }
  return shape;
}

bool indices_fit(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  Shape joint;
  bool fits = true;
  for_each_index(frame, code[2], [&](int64_t axis, const TensorView& member) {
    fits = is_mask(member) ? is_as_long(view, axis, member)
                           : axis < view.rank && broadcast_into(&joint, member);
    return fits;
  });
  return fits;
}

bool masks_fit(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  bool has_mask = false;
  for_each_index(frame, code[2], [&](int64_t, const TensorView& member) {
    has_mask = has_mask || is_mask(member);
    return true;
  });
  int64_t axis = 0;
  for (const TensorView& member : frame.args.tensor_list(static_cast<int>(code[2]))) {
    const bool stands_for_one = !member.present || member.empty();
    if (has_mask && !stands_for_one && !is_as_long(view, axis, member)) return false;
    axis += stands_for_one ? 1 : member.rank;
  }
  return true;
}

bool broadcasts_to(const TensorView& view, const Shape& shape) {
  Shape joint = shape;
  return broadcast_into(&joint, view) && joint.rank == shape.rank &&
         std::equal(joint.dims, joint.dims + joint.rank, shape.dims);
}

bool places_fit(const IntArrayView& places, int64_t length) {
  return std::all_of(places.begin(), places.end(),
                     [length](int64_t place) { return place < length && place >= -length; });
}

}  // namespace

Shape evaluate_indexed_shape(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kIndexed:
      return indexed(frame, code);
    case TermKind::kSelectedByRows:
      return selected_by_rows(frame.view(code[1]), frame.view(code[2]));
    default:
      return {};  // Rank0
  }
}

int64_t evaluate_indexed_test(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kIndicesFit:
      return indices_fit(frame, code);
    case TermKind::kMasksFit:
      return masks_fit(frame, code);
    case TermKind::kBroadcastsTo:
      return broadcasts_to(frame.view(code[1]), evaluate_shape(frame, code[2]));
    case TermKind::kPlacesFit:
      return places_fit(frame.args.int_array(static_cast<int>(code[1])), evaluate(frame, code[2]));
    default:
      return evaluate_sequence_test(frame, code);
  }
}

}  // namespace aclhost
