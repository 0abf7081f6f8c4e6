// SPDX-License-Identifier: Apache-2.0
// Convolutions by outer products (engines/outer_products.h) of weights and planes (planes.h), and
// weights of groups of few channels, such as depthwise ones.
#pragma once

#include "base/status.h"
#include "kernels/convolution/taps.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether planes are not much larger than the image, and enough of what is computed is looked at.
bool convolves_directly(const Source& source);

// A row for each channel of the map, of pairs if the source is of pairs.
struct WeightRows {
  const float* data;
  int64_t step;  // from row to row, in elements
};

// map[n, g, m, p] = bias[g, m] + sums over channels, then over the kernel. The map has rows of
// positions. There may be no bias.
Status convolve_directly(const Source& source, const TensorView& map, const WeightRows& weight,
                         const float* bias, int64_t groups, int64_t map_channels);

// Whether groups with so many channels in the map are better computed here.
bool weighs_directly(const Source& source, int64_t groups, int64_t map_channels);

// weight[g, m, c, k] = sums over batch and positions of the map times the source.
Status weigh_directly(const Source& source, const TensorView& map, const TensorView& weight,
                      int64_t groups, int64_t map_channels);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
