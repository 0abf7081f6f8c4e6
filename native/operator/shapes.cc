// SPDX-License-Identifier: Apache-2.0
#include "operator/shapes.h"

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

void expand(const IntArrayView& values, int spatial, int64_t* to) {
  for (int axis = 0; axis < spatial; ++axis) {
    to[3 - spatial + axis] = values.at(values.size == 1 ? 0 : axis);
  }
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
    shape.dims[shape.rank - 3 + axis] = lengths.at(axis);
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

Window::Window(const IntArrayView& kernel_size, const IntArrayView& strides,
               const IntArrayView& paddings, const IntArrayView& dilations, bool ceil, int spatial)
    : kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1}, ceil_mode(ceil) {
  expand(kernel_size, spatial, kernel);
  expand(strides.size == 0 ? kernel_size : strides, spatial, stride);
  expand(paddings, spatial, padding);
  expand(dilations, spatial, dilation);
}

int64_t WindowCount::get() const {
  const Wide s = stride;
  if (s <= 0) return 0;  // refused later; Python asks for the shape before the checks
  const Wide span = Wide{dilation} * (kernel - 1) + 1;
  const Wide steps = Wide{length} + before + after - span + (ceil_mode ? s - 1 : 0);
  const auto small = static_cast<int64_t>(steps);  // nearly always; dividing is much faster then
  Wide count = (towards_zero     ? steps / s
                : small == steps ? floor_divide(small, stride)
                                 : floor_divide(steps, s)) +
               1;
  // A last window that starts beyond the input and its left padding would see nothing.
  if (ceil_mode && (count - 1) * s >= Wide{length} + before) --count;
  return static_cast<int64_t>(std::clamp<Wide>(count, INT64_MIN, INT64_MAX));
}

int64_t Window::positions(int64_t length, int axis) const {
  return WindowCount{length,        kernel[axis],   stride[axis], padding[axis],
                     padding[axis], dilation[axis], ceil_mode}
      .get();
}

Shape pooled_shape(const TensorView& self, const Window& window, bool channels_last) {
  Shape shape = shape_of(self);
  const int first = shape.rank - (channels_last ? 4 : 3);
  for (int axis = 0; axis < 3 && first >= 0; ++axis) {
    shape.dims[first + axis] = window.positions(self.shape[first + axis], axis);
  }
  return shape;
}

bool broadcast_into(Shape* shape, const TensorView& view) {
  if (shape->rank < view.rank) {
    const int more = view.rank - shape->rank;
    std::copy_backward(shape->dims, shape->dims + shape->rank, shape->dims + view.rank);
    std::fill_n(shape->dims, more, 1);
    shape->rank = view.rank;
  }
  bool fits = true;
  int64_t* dims = shape->dims + (shape->rank - view.rank);
  for (int i = 0; i < view.rank; ++i) {
    if (dims[i] == 1) {
      dims[i] = view.shape[i];
    } else if (view.shape[i] != dims[i] && view.shape[i] != 1) {
      fits = false;
    }
  }
  return fits;
}

Shape broadcast_shape(std::initializer_list<const TensorView*> views) {
  Shape shape;
  for (const TensorView* view : views) broadcast_into(&shape, *view);
  return shape;
}

}  // namespace aclhost
