// SPDX-License-Identifier: Apache-2.0
// The terms that are shapes, and those that compare them.
#include <algorithm>

#include "operator/shapes.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

Shape shape_from(const IntArrayView& values) {
  Shape shape;
  shape.rank = static_cast<int>(std::min<uint64_t>(values.size, kMaxRank));
  std::copy_n(values.values, shape.rank, shape.dims);
  return shape;
}

bool same_shape(const Shape& a, const Shape& b) {
  return a.rank == b.rank && std::equal(a.dims, a.dims + a.rank, b.dims);
}

bool is_one_element(const Shape& shape) {
  return std::all_of(shape.dims, shape.dims + shape.rank, [](int64_t d) { return d == 1; });
}

int64_t count(const Shape& shape) {
  __int128 product = 1;
  for (int i = 0; i < shape.rank; ++i) {
    product = std::clamp<__int128>(product * shape.dims[i], INT64_MIN, INT64_MAX);
  }
  return static_cast<int64_t>(product);
}

// Code of a term that is a count of parameters and as many of them.
bool broadcasts(const Frame& frame, const TermCode* code, Shape* shape) {
  const TensorView& first = frame.view(code[2]);
  *shape = shape_of(first);
  bool fits = true;
  for (int64_t i = 1; i < code[1]; ++i) {
    const TensorView& view = frame.view(code[2 + i]);
    if (!has_shape(view, *shape)) fits = broadcast_into(shape, view) && fits;
  }
  return fits;
}

Shape lengths(const Frame& frame, const TermCode* code) {
  Shape shape;
  for (int64_t i = 0; i < std::min<int64_t>(code[1], kMaxRank); ++i) {
    shape.dims[shape.rank++] = evaluate(frame, code[2 + i]);
  }
  return shape;
}

Shape inserted(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  Shape shape = shape_of(view);
  if (view.rank == kMaxRank) return shape;
  const int64_t axis = evaluate(frame, code[2]);
  const int place = axis >= 0 && axis <= view.rank ? static_cast<int>(axis) : view.rank;
  std::copy_backward(shape.dims + place, shape.dims + view.rank, shape.dims + view.rank + 1);
  shape.dims[place] = evaluate(frame, code[3]);
  ++shape.rank;
  return shape;
}

// Calls visit(dimension, before, after) for the pairs of an array, which belong to a tensor's
// dimensions from the last one on.
template <typename Visit>
void for_each_pair(const IntArrayView& array, int rank, const Visit& visit) {
  const uint64_t count = std::min<uint64_t>(array.size / 2, static_cast<uint64_t>(rank));
  for (uint64_t i = 0; i < count; ++i) {
    visit(rank - 1 - static_cast<int>(i), array.at(2 * i), array.at(2 * i + 1));
  }
}

Shape padded(const TensorView& view, const IntArrayView& array) {
  Shape shape = shape_of(view);
  for_each_pair(array, shape.rank, [&](int axis, int64_t before, int64_t after) {
    shape.dims[axis] = saturated(static_cast<__int128>(shape.dims[axis]) + before + after);
  });
  return shape;
}

bool pads_fit(const TensorView& view, const IntArrayView& array) {
  bool fit = true;
  for_each_pair(array, view.rank, [&](int axis, __int128 before, __int128 after) {
    fit = fit && view.shape[axis] + std::min({before, after, before + after}) >= 0;
  });
  return fit;
}

bool padded_positive(const TensorView& view, const IntArrayView& array) {
  bool positive = true;
  for_each_pair(array, view.rank,
                [&](int axis, int64_t, int64_t) { positive = positive && view.shape[axis] > 0; });
  return positive;
}

Shape axis_divided(const Frame& frame, const TermCode* code) {
  Shape shape = shape_of(frame.view(code[1]));
  int64_t axis = evaluate(frame, code[2]);
  if (axis < 0) axis += shape.rank;
  if (axis >= 0 && axis < shape.rank) shape.dims[axis] /= code[3];
  return shape;
}

// What has too many dimensions keeps as many as there can be.
Shape gathered(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  const TensorView& index = frame.view(code[3]);
  int64_t axis = evaluate(frame, code[2]);
  if (axis < 0) axis += view.rank;
  if (axis < 0 || axis >= view.rank) return shape_of(view);
  Shape shape;
  const auto add = [&](int64_t length) {
    if (shape.rank < kMaxRank) shape.dims[shape.rank++] = length;
  };
  for (int64_t i = 0; i < axis; ++i) add(view.shape[i]);
  for (int i = 0; i < index.rank; ++i) add(index.shape[i]);
  if (index.rank == 0 && code[4] != 0) add(1);
  for (int64_t i = axis + 1; i < view.rank; ++i) add(view.shape[i]);
  return shape;
}

bool lengths_fit(const Frame& frame, const TermCode* code) {
  const TensorView& first = frame.view(code[1]);
  const TensorView& second = frame.view(code[2]);
  int64_t axis = evaluate(frame, code[3]);
  if (axis < 0) axis += second.rank;
  for (int i = 0; i < std::min(first.rank, second.rank); ++i) {
    if (i != axis && first.shape[i] > second.shape[i]) return false;
  }
  return true;
}

Shape with_last(const Frame& frame, const TermCode* code) {
  Shape shape = shape_of(frame.view(code[1]));
  const int64_t kept = code[2], count = code[3], first = shape.rank - kept - count;
  for (int64_t i = 0; i < count && first >= 0; ++i) {
    shape.dims[first + i] = evaluate(frame, code[4 + i]);
  }
  return shape;
}

// Dimensions before the last so many of a tensor.
int dims_before(const Frame& frame, const TermCode* code) {
  const int64_t rank = frame.view(code[1]).rank, count = evaluate(frame, code[2]);
  return static_cast<int>(std::clamp<__int128>(static_cast<__int128>(rank) - count, 0, rank));
}

Shape last_dims(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  const int first = dims_before(frame, code);
  Shape shape;
  shape.rank = view.rank - first;
  std::copy(view.shape + first, view.shape + view.rank, shape.dims);
  return shape;
}

Shape last_reduced(const Frame& frame, const TermCode* code) {
  Shape shape = shape_of(frame.view(code[1]));
  std::fill(shape.dims + dims_before(frame, code), shape.dims + shape.rank, 1);
  return shape;
}

int64_t window_count(const Frame& frame, const TermCode* code) {
  const auto value = [&](int i) { return evaluate(frame, code[i]); };
  return WindowCount{value(1), value(2), value(3),      value(4),
                     value(5), value(6), value(7) != 0, code[8] != 0}
      .get();
}

Shape volume(const Frame& frame, const TermCode* code) {
  const IntArrayView batch = frame.args.int_array(static_cast<int>(code[2]));
  const IntArrayView array = frame.args.int_array(static_cast<int>(code[3]));
  const uint64_t first = static_cast<uint64_t>(code[4]);
  const int64_t three[] = {array.at(first), array.at(first + 1), array.at(first + 2)};
  return volume_shape(batch.at(0), batch.at(1), three, frame.view(code[1]).format);
}

Shape resized_volume(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  const IntArrayView array = frame.args.int_array(static_cast<int>(code[2]));
  const int64_t three[] = {array.at(0), array.at(1), array.at(2)};
  return volume_shape(view.rank > 0 ? view.shape[0] : 0, channels_of(view), three, view.format);
}

Shape pooled(const Frame& frame, const TermCode* code) {
  const auto array = [&](int i) { return frame.args.int_array(static_cast<int>(code[i])); };
  const Window window(array(2), array(3), array(4), array(5),
                      frame.args.integer(static_cast<int>(code[6])) != 0);
  const TensorView& view = frame.view(code[1]);
  return pooled_shape(view, window, code[7] != 0 && view.format == ACL_FORMAT_NDHWC);
}

bool same_leading(const TensorView& a, const TensorView& b) {
  const int count = std::min(a.rank, b.rank) - 3;
  return count <= 0 || std::equal(a.shape, a.shape + count, b.shape);
}

bool spatial_positive(const TensorView& view) {
  return spatial_length(view, 0) > 0 && spatial_length(view, 1) > 0 && spatial_length(view, 2) > 0;
}

bool volume_fits_31_bits(const TensorView& view) {
  __int128 volume = 1;
  for (int i = std::max(view.rank - 3, 0); i < view.rank; ++i) {
    volume *= view.shape[i];
    if (volume > INT32_MAX) return false;
  }
  return true;
}

bool at_most_half(const IntArrayView& array, const IntArrayView& other) {
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t value = array.at(array.size == 1 ? 0 : axis);
    if (value > other.at(other.size == 1 ? 0 : axis) / 2) return false;
  }
  return true;
}

bool holds_volume(const IntArrayView& array, const TensorView& view) {
  __int128 needed = 1, there = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int dimension = view.rank < 3 ? axis : view.rank - 3 + axis;
    needed *= dimension < view.rank ? view.shape[dimension] : 0;
    there = std::min<__int128>(there * array.at(axis), INT64_MAX);
    if (needed > INT64_MAX) return false;
  }
  return there >= needed;
}

}  // namespace

Shape evaluate_shape(const Frame& frame, int64_t term) {
  const TermCode* code = frame.at(term);
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kShapeOf:
      return shape_of(frame.view(code[1]));
    case TermKind::kShapeOfMember: {
      const ListView<TensorView> members = frame.args.tensor_list(static_cast<int>(code[1]));
      const auto position = static_cast<uint64_t>(evaluate(frame, code[2]));
      return position < members.size ? shape_of(members.values[position]) : Shape{};
    }
    case TermKind::kArrayShape:
      return shape_from(frame.args.int_array(static_cast<int>(code[1])));
    case TermKind::kLengths:
      return lengths(frame, code);
    case TermKind::kInserted:
      return inserted(frame, code);
    case TermKind::kPadded:
      return padded(frame.view(code[1]), frame.args.int_array(static_cast<int>(code[2])));
    case TermKind::kGathered:
      return gathered(frame, code);
    case TermKind::kAxisDivided:
      return axis_divided(frame, code);
    case TermKind::kWithLast:
      return with_last(frame, code);
    case TermKind::kLastDims:
      return last_dims(frame, code);
    case TermKind::kLastReduced:
      return last_reduced(frame, code);
    case TermKind::kBroadcast: {
      Shape shape;
      broadcasts(frame, code, &shape);
      return shape;
    }
    case TermKind::kWithoutFirst: {
      Shape shape = evaluate_shape(frame, code[1]);
      if (shape.rank == 0) return shape;
      std::copy(shape.dims + 1, shape.dims + shape.rank--, shape.dims);
      return shape;
    }
    case TermKind::kWithoutLast: {
      Shape shape = evaluate_shape(frame, code[1]);
      shape.rank = std::max(shape.rank - 1, 0);
      return shape;
    }
    case TermKind::kShapeIf:
      return evaluate_shape(frame, evaluate(frame, code[1]) ? code[2] : code[3]);
    case TermKind::kWithSpatial:
      return with_spatial(frame.view(code[1]), frame.args.int_array(static_cast<int>(code[2])));
    case TermKind::kVolumeShape:
      return volume(frame, code);
    case TermKind::kResizedVolume:
      return resized_volume(frame, code);
    case TermKind::kPooled:
      return pooled(frame, code);
    case TermKind::kProductShape:
      return product_shape(frame.view(code[1]), frame.view(code[2]));
    case TermKind::kBroadcastOf: {
      Shape shape;
      broadcast_of(frame, code, &shape);
      return shape;
    }
    case TermKind::kReduced:
    case TermKind::kReducedAxis:
      return reduced_shape(frame, code);
    default:
      return evaluate_moved_shape(frame, code);
  }
}

int64_t evaluate_shape_test(const Frame& frame, const TermCode* code) {
  const auto array = [&](int i) { return frame.args.int_array(static_cast<int>(code[i])); };
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kSameShape: {
      const TermCode* first = frame.at(code[1]);
      const TermCode* second = frame.at(code[2]);
      constexpr auto kShapeOf = static_cast<TermCode>(TermKind::kShapeOf);
      if (first[0] != kShapeOf) {
        return same_shape(evaluate_shape(frame, code[1]), evaluate_shape(frame, code[2]));
      }
      const TensorView& view = frame.view(first[1]);
      if (second[0] == kShapeOf) return same_shape(view, frame.view(second[1]));
      return has_shape(view, evaluate_shape(frame, code[2]));
    }
    case TermKind::kFitsShape: {
      const Shape first = evaluate_shape(frame, code[1]), second = evaluate_shape(frame, code[2]);
      return same_shape(first, second) || (is_one_element(first) && is_one_element(second));
    }
    case TermKind::kSameCount:
      return count(evaluate_shape(frame, code[1])) == count(evaluate_shape(frame, code[2]));
    case TermKind::kElementsOf:
      return count(evaluate_shape(frame, code[1]));
    case TermKind::kFirstLength: {
      const Shape shape = evaluate_shape(frame, code[1]);
      return shape.rank > 0 ? shape.dims[0] : 1;
    }
    case TermKind::kBroadcastable: {
      Shape shape;
      return broadcasts(frame, code, &shape);
    }
    case TermKind::kLengthsFit:
      return lengths_fit(frame, code);
    case TermKind::kPadsFit:
      return pads_fit(frame.view(code[1]), array(2));
    case TermKind::kPaddedPositive:
      return padded_positive(frame.view(code[1]), array(2));
    case TermKind::kSameLeading:
      return same_leading(frame.view(code[1]), frame.view(code[2]));
    case TermKind::kSpatialPositive:
      return spatial_positive(frame.view(code[1]));
    case TermKind::kChannels:
      return channels_of(frame.view(code[1]));
    case TermKind::kVolumeFits31Bits:
      return volume_fits_31_bits(frame.view(code[1]));
    case TermKind::kAtMostHalf:
      return at_most_half(array(1), array(2));
    case TermKind::kWindowCount:
      return window_count(frame, code);
    case TermKind::kBatchesFit:
      return batches_fit(frame.view(code[1]), frame.view(code[2]));
    case TermKind::kShapesBroadcast: {
      Shape shape;
      return broadcast_of(frame, code, &shape);
    }
    case TermKind::kDenseTransposed:
      return is_dense_transposed(frame.view(code[1]));
    case TermKind::kEquationIs:
      return equation_is(frame, code);
    case TermKind::kAxesPositive:
      return axes_positive(frame, code);
    case TermKind::kHoldsVolume:
      return holds_volume(array(1), frame.view(code[2]));
    default:
      return evaluate_moved_test(frame, code);
  }
}

}  // namespace aclhost
