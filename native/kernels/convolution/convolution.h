// SPDX-License-Identifier: Apache-2.0
// The three sums of a convolution: Note [Convolution] in taps.h. Tensors have N, channels and one
// to three axes. Sums are taken in float and rounded once. No tensor is empty.
#pragma once

#include "base/status.h"
#include "kernels/convolution/taps.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// How positions of the map lie in the image.
struct Windows {
  // Arrays as clients pass them; padding has one value or two for each axis.
  Windows(int axes, const IntArrayView& strides, const IntArrayView& paddings,
          const IntArrayView& dilations, int64_t group_count);

  int64_t stride[kAxes], padding[kAxes], dilation[kAxes];
  int64_t groups;
};

// The bias of the result's channels may be absent.
Status convolve(const TensorView& map, const TensorView& image, const TensorView& weight,
                const TensorView& bias, const Windows& windows);
Status convolve_transposed(const TensorView& image, const TensorView& map, const TensorView& weight,
                           const TensorView& bias, const Windows& windows);
Status weigh(const TensorView& weight, const TensorView& image, const TensorView& map,
             const Windows& windows);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
