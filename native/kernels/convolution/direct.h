// SPDX-License-Identifier: Apache-2.0
// Convolutions of groups of few channels, such as depthwise ones: for each element of the kernel, a
// whole line of positions at a time. Lines are copied first, with zeros on both sides and, with a
// stride, sorted by remainders, so that all that an element meets lies side by side.
#pragma once

#include "base/status.h"
#include "kernels/convolution/taps.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether groups with so many channels in the map are better computed here.
bool computes_directly(const Source& source, int64_t groups, int64_t map_channels);

// map[n, g, m, p] = bias[g, m] + sums over channels, then over the kernel. The map has rows of
// positions; weight is dense and has a row for each of its channels. There may be no bias.
Status convolve_directly(const Source& source, const TensorView& map, const float* weight,
                         const float* bias, int64_t groups, int64_t map_channels);

// weight[g, m, c, k] = sums over batch and positions of the map times the source.
Status weigh_directly(const Source& source, const TensorView& map, const TensorView& weight,
                      int64_t groups, int64_t map_channels);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
