// SPDX-License-Identifier: Apache-2.0
#include "operator/geometry.h"

#include <algorithm>

namespace aclhost {
namespace {

using Wide = __int128;  // Ascend 950 accepts any dilation, so products may be absurd

// Rounds towards minus infinity, as the pooled length does for windows larger than the input.
template <typename Integer>
Integer floor_divide(Integer value, Integer by) {
  if (by == 1 || by == 2) return value >> (by - 1);  // nearly always, and a division takes long
  const Integer quotient = value / by;
  return value % by != 0 && (value < 0) != (by < 0) ? quotient - 1 : quotient;
}

void expand(const IntArrayView& values, int64_t* to) {
  for (int axis = 0; axis < 3; ++axis) to[axis] = values.values[values.size == 1 ? 0 : axis];
}

}  // namespace

int64_t spatial_length(const TensorView& view, int axis) {
  const int dimension = (view.format == ACL_FORMAT_NDHWC ? 1 : 2) + axis;
  return dimension < view.rank ? view.shape[dimension] : 0;
}

int64_t channels_of(const TensorView& view) {
  const int dimension = view.format == ACL_FORMAT_NDHWC ? 4 : 1;
  return dimension < view.rank ? view.shape[dimension] : 0;
}

Shape with_spatial(const TensorView& view, const IntArrayView& lengths) {
  Shape shape = shape_of(view);
  for (int axis = 0; axis < 3 && shape.rank >= 3; ++axis) {
    shape.dims[shape.rank - 3 + axis] = lengths.values[axis];
  }
  return shape;
}

Shape volume_shape(int64_t n, int64_t c, const int64_t* lengths, aclFormat format) {
  const bool channels_last = format == ACL_FORMAT_NDHWC;
  Shape shape;
  shape.rank = 5;
  shape.dims[0] = n;
  shape.dims[channels_last ? 4 : 1] = c;
  std::copy_n(lengths, 3, shape.dims + (channels_last ? 1 : 2));
  return shape;
}

Shape shape_from(const IntArrayView& values) {
  Shape shape;
  shape.rank = static_cast<int>(std::min<uint64_t>(values.size, kMaxArrayValues));
  std::copy_n(values.values, shape.rank, shape.dims);
  return shape;
}

Window::Window(const IntArrayView& kernel_size, const IntArrayView& strides,
               const IntArrayView& paddings, const IntArrayView& dilations, bool ceil)
    : ceil_mode(ceil) {
  expand(kernel_size, kernel);
  expand(strides.size == 0 ? kernel_size : strides, stride);
  expand(paddings, padding);
  expand(dilations, dilation);
}

int64_t Window::positions(int64_t length, int axis) const {
  const Wide s = stride[axis], p = padding[axis];
  if (s <= 0) return 0;  // refused later; Python asks for the shape before the checks
  const Wide span = Wide{dilation[axis]} * (kernel[axis] - 1) + 1;
  const Wide steps = length + 2 * p - span + (ceil_mode ? s - 1 : 0);
  const auto small = static_cast<int64_t>(steps);  // nearly always; dividing is much faster then
  Wide count = (small == steps ? floor_divide(small, stride[axis]) : floor_divide(steps, s)) + 1;
  // A last window that starts beyond the input and its left padding would see nothing.
  if (ceil_mode && (count - 1) * s >= length + p) --count;
  return static_cast<int64_t>(std::clamp<Wide>(count, INT64_MIN, INT64_MAX));
}

Shape pooled_shape(const TensorView& self, const Window& window, bool channels_last) {
  Shape shape = shape_of(self);
  const int first = shape.rank - (channels_last ? 4 : 3);
  for (int axis = 0; axis < 3 && first >= 0; ++axis) {
    shape.dims[first + axis] = window.positions(self.shape[first + axis], axis);
  }
  return shape;
}

bool broadcast(std::initializer_list<const TensorView*> views, Shape* result) {
  const TensorView& first = **views.begin();
  const auto is_like_first = [&](const TensorView* view) { return same_shape(first, *view); };
  if (std::all_of(views.begin() + 1, views.end(), is_like_first)) {
    result->rank = first.rank;
    std::copy_n(first.shape, first.rank, result->dims);
    return true;
  }
  int rank = 0;
  for (const TensorView* view : views) rank = std::max(rank, view->rank);
  result->rank = rank;
  for (int from_right = 1; from_right <= rank; ++from_right) {
    int64_t known = 1;
    for (const TensorView* view : views) {
      if (from_right > view->rank) continue;
      const int64_t size = view->shape[view->rank - from_right];
      if (size == known || size == 1) continue;
      if (known != 1) return false;
      known = size;
    }
    result->dims[rank - from_right] = known;
  }
  return true;
}

}  // namespace aclhost
