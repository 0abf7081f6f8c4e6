// SPDX-License-Identifier: Apache-2.0
// Resizing with weights, and its gradient: sums over windows of depth, height and width.
//
// Note [Order of resized sums]
// A result is computed in float (DOUBLE in double): rows along the width first, tap by tap; then
// those rows are multiplied by the products of their weights in depth and height and added up,
// depth by depth and height by height. Each term is added to the sum of those before it, and the
// last sum is rounded once.
#pragma once

#include "base/status.h"
#include "engines/resize_axis.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// From a tensor of the axes' sources to one of their targets, or with `gradient` from targets to
// sources. Both have the dimensions N, C, D, H, W; axes are D, H, W.
Status resize_weighted(const TensorView& from, const TensorView& to, const ResizeAxis (&axes)[3],
                       bool gradient);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
