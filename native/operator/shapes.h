// SPDX-License-Identifier: Apache-2.0
// Shapes that follow from other arguments: pooled, unpooled, resized and broadcast ones.
//
// Total: whatever they are asked for, they answer; the checks refuse what makes no sense.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "operator/views.h"

namespace aclhost {

// The last three dimensions, or those in the middle for channels-last labels. Dimensions that do
// not exist count as 0.
int64_t spatial_length(const TensorView& view, int axis);
int64_t channels_of(const TensorView& view);

// All but the last three dimensions of a tensor, then depth, height and width from an array.
Shape with_spatial(const TensorView& view, const IntArrayView& lengths);

// {N, C, lengths...}, or {N, lengths..., C} for a channels-last label.
Shape volume_shape(int64_t n, int64_t c, const int64_t* lengths, aclFormat format);

// The number of windows of a pool along an axis; 0 where the stride is not above 0. Upstream
// divides downwards, or towards zero.
struct WindowCount {
  int64_t length, kernel, stride, before, after, dilation;
  bool ceil_mode;
  bool towards_zero = false;

  int64_t get() const;
};

// A pooling window with every shortcut resolved: one value stands for all, no stride for the
// kernel.
struct Window {
  int64_t kernel[3];
  int64_t stride[3];
  int64_t padding[3];
  int64_t dilation[3];
  bool ceil_mode;

  // Of `spatial` axes, the last ones; the others have windows of one position.
  Window(const IntArrayView& kernel_size, const IntArrayView& strides, const IntArrayView& paddings,
         const IntArrayView& dilations, bool ceil, int spatial = 3);

  // Number of window positions along an axis of this length.
  int64_t positions(int64_t length, int axis) const;
};

// The pooled shape of a (N, )C, D, H, W tensor, or of N, D, H, W, C when channels_last.
Shape pooled_shape(const TensorView& self, const Window& window, bool channels_last);

// Joins a shape into what others broadcast to, aligned at the right. False if two lengths differ
// and neither is 1; the first then stays.
bool broadcast_into(Shape* shape, const TensorView& view);

Shape broadcast_shape(std::initializer_list<const TensorView*> views);

}  // namespace aclhost
