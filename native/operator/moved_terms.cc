// SPDX-License-Identifier: Apache-2.0
// The terms about the members of lists, about axes that arrays name, and about the shapes of what
// is joined, cut, repeated or reordered.
#include <algorithm>

#include "dtypes.h"
#include "operator/slices.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

IntArrayView array_of(const Frame& frame, TermCode param) {
  return frame.args.int_array(static_cast<int>(param));
}

// An axis counted from the start; -1 where there is no such axis.
int axis_of(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

template <typename Visit>
void for_each_member(const Frame& frame, TermCode list, const Visit& visit) {
  int64_t position = 0;
  for (const TensorView& member : frame.args.tensor_list(static_cast<int>(list))) {
    if (!visit(Frame{frame.args, &member, position++})) return;
  }
}

bool each_member(const Frame& frame, const TermCode* code) {
  bool holds = true;
  for_each_member(frame, code[1],
                  [&](const Frame& each) { return holds = evaluate(each, code[2]) != 0; });
  return holds;
}

// The frame of the first member for which a term holds; else that of the first one.
Frame first_frame(const Frame& frame, const TermCode* code) {
  Frame first = {frame.args, nullptr, 0};
  const TensorView* member = nullptr;
  int64_t position = 0;
  for_each_member(frame, code[1], [&](const Frame& each) {
    const bool found = evaluate(each, code[2]) != 0;
    if (found || member == nullptr) {
      member = each.member;
      position = each.position;
    }
    return !found;
  });
  first.member = member;
  first.position = position;
  return first;
}

int64_t sum_over(const Frame& frame, const TermCode* code) {
  int64_t total = 0;
  for_each_member(frame, code[1], [&](const Frame& each) {
    total = saturated(__int128{total} + evaluate(each, code[2]));
    return true;
  });
  return total;
}

int64_t common_dtype(const Frame& frame, const TermCode* code) {
  aclDataType common = ACL_DT_UNDEFINED;
  bool found = false;
  for_each_member(frame, code[1], [&](const Frame& each) {
    if (evaluate(each, code[2]) != 0) {
      common = found ? promote(each.member->dtype, common) : each.member->dtype;
      found = true;
    }
    return true;
  });
  return found ? common : frame.view(code[1]).dtype;
}

bool axes_in_rank(const IntArrayView& axes, const TensorView& view) {
  const int rank = std::max(view.rank, 1);
  return std::all_of(axes.begin(), axes.end(),
                     [&](int64_t axis) { return axis_of(axis, rank) >= 0; });
}

bool distinct_axes(const IntArrayView& axes, const TensorView& view) {
  const int rank = std::max(view.rank, 1);
  const auto counted = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  for (uint64_t i = 0; i < axes.size; ++i) {
    for (uint64_t k = 0; k < i; ++k) {
      if (counted(axes.values[i]) == counted(axes.values[k])) return false;
    }
  }
  return true;
}

int64_t slice_length(const Frame& frame, const TermCode* code) {
  const auto value = [&](int i) { return evaluate(frame, code[i]); };
  return slice_of(value(1), value(2), value(3), value(4)).count;
}

Shape with_axis(const Frame& frame, const TermCode* code) {
  Shape shape = evaluate_shape(frame, code[1]);
  const int axis = axis_of(evaluate(frame, code[2]), shape.rank);
  if (axis >= 0) shape.dims[axis] = evaluate(frame, code[3]);
  return shape;
}

Shape sliced(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  const IntArrayView starts = array_of(frame, code[2]), ends = array_of(frame, code[3]),
                     axes = array_of(frame, code[4]), steps = array_of(frame, code[5]);
  Shape shape = shape_of(view);
  const uint64_t count = std::min({starts.size, ends.size, axes.size, steps.size});
  for (uint64_t i = 0; i < count; ++i) {
    const int axis = axis_of(axes.at(i), view.rank);
    if (axis < 0) continue;
    shape.dims[axis] = slice_of(view.shape[axis], starts.at(i), ends.at(i), steps.at(i)).count;
  }
  return shape;
}

Shape permuted(const TensorView& view, const IntArrayView& axes) {
  Shape shape;
  shape.rank = static_cast<int>(std::min<uint64_t>(axes.size, kMaxRank));
  for (int i = 0; i < shape.rank; ++i) {
    const int axis = axis_of(axes.values[i], view.rank);
    shape.dims[i] = axis >= 0 ? view.shape[axis] : 0;
  }
  return shape;
}

Shape tiled(const TensorView& view, const IntArrayView& repeats) {
  const int count = static_cast<int>(std::min<uint64_t>(repeats.size, kMaxRank));
  Shape shape;
  shape.rank = std::max(view.rank, count);
  for (int i = 0; i < shape.rank; ++i) {
    const int axis = i - (shape.rank - view.rank), place = i - (shape.rank - count);
    const int64_t length = axis >= 0 ? view.shape[axis] : 1;
    shape.dims[i] = saturated(__int128{length} * (place >= 0 ? repeats.values[place] : 1));
  }
  return shape;
}

Shape flattened(const TensorView& view, int64_t axis) {
  const int64_t place = std::clamp<int64_t>(axis < 0 ? axis + view.rank : axis, 0, view.rank);
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = shape.dims[1] = 1;
  for (int i = 0; i < view.rank; ++i) {
    int64_t& count = shape.dims[i >= place];
    count = saturated(__int128{count} * view.shape[i]);
  }
  return shape;
}

Shape diagonal_shape(const TensorView& view, __int128 diagonal, bool always_matrix) {
  Shape shape;
  if (view.rank != 2 || always_matrix) {
    int64_t count = 1;
    for (int i = 0; i < view.rank; ++i) count = saturated(__int128{count} * view.shape[i]);
    shape.rank = 2;
    shape.dims[0] = shape.dims[1] = saturated(count + (diagonal < 0 ? -diagonal : diagonal));
    return shape;
  }
  const __int128 rows = view.shape[0] + std::min<__int128>(diagonal, 0);
  const __int128 columns = view.shape[1] - std::max<__int128>(diagonal, 0);
  shape.rank = 1;
  shape.dims[0] = saturated(std::max<__int128>(std::min(rows, columns), 0));
  return shape;
}

}  // namespace

int64_t evaluate_moved_test(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kEachMember:
      return each_member(frame, code);
    case TermKind::kOfFirst:
      return evaluate(first_frame(frame, code), code[3]);
    case TermKind::kSumOver:
      return sum_over(frame, code);
    case TermKind::kCommonDtype:
      return common_dtype(frame, code);
    case TermKind::kAxesInRank:
      return axes_in_rank(array_of(frame, code[1]), frame.view(code[2]));
    case TermKind::kDistinctAxes:
      return distinct_axes(array_of(frame, code[1]), frame.view(code[2]));
    case TermKind::kSliceLength:
      return slice_length(frame, code);
    default:
      return evaluate_indexed_test(frame, code);
  }
}

Shape evaluate_moved_shape(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kShapeOfFirst:
      return shape_of(first_frame(frame, code).view(-1));
    case TermKind::kWithAxis:
      return with_axis(frame, code);
    case TermKind::kSliced:
      return sliced(frame, code);
    case TermKind::kPermuted:
      return permuted(frame.view(code[1]), array_of(frame, code[2]));
    case TermKind::kTiled:
      return tiled(frame.view(code[1]), array_of(frame, code[2]));
    case TermKind::kFlattened:
      return flattened(frame.view(code[1]), evaluate(frame, code[2]));
    case TermKind::kDiagonalShape:
      return diagonal_shape(frame.view(code[1]), evaluate(frame, code[2]), code[3] != 0);
    default:
      return evaluate_indexed_shape(frame, code);
  }
}

}  // namespace aclhost
