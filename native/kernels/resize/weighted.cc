// SPDX-License-Identifier: Apache-2.0
// The operators that resize with weights, and their gradients.
#include <cstring>

#include "engines/resize.h"
#include "kernels/resize/layout.h"
#include "kernels/resize/nearest.h"
#include "ops/resize.h"
#include "ops/upsample_bicubic2d.h"
#include "ops/upsample_bicubic2d_aa.h"
#include "ops/upsample_bicubic2d_aagrad.h"
#include "ops/upsample_bicubic2d_backward.h"
#include "ops/upsample_bilinear2d.h"
#include "ops/upsample_bilinear2d_aa.h"
#include "ops/upsample_bilinear2d_aabackward.h"
#include "ops/upsample_bilinear2d_backward.h"
#include "ops/upsample_bilinear2d_backward_v2.h"
#include "ops/upsample_linear1d.h"
#include "ops/upsample_linear1d_backward.h"
#include "ops/upsample_trilinear3d.h"
#include "ops/upsample_trilinear3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// What a user gave; what is not above 0, NaN included, is none.
struct Scales {
  double depth;
  double height;
  double width;
};

enum Direction { kForward, kBackward };

Status resize(Filter filter, bool align_corners, const Scales& scales, const VolumePair& tensors,
              Direction direction) {
  const bool back = direction == kBackward;
  const TensorView& input = back ? tensors.to : tensors.from;
  const TensorView& output = back ? tensors.from : tensors.to;
  const auto axis = [&](int i, double scale) {
    return make_axis(filter, align_corners, scale, input.shape[i], output.shape[i]);
  };
  const ResizeAxis axes[] = {axis(2, scales.depth), axis(3, scales.height), axis(4, scales.width)};
  return resize_weighted(tensors.from, tensors.to, axes, back);
}

template <typename Args>
Scales images(const Args& args) {
  return {0, args.scalesH, args.scalesW};
}

// Those of volumes count together or not at all.
template <typename Args>
Scales volumes(const Args& args) {
  const bool count = args.scalesD > 0 && args.scalesH > 0 && args.scalesW > 0;
  return count ? Scales{args.scalesD, args.scalesH, args.scalesW} : Scales{0, 0, 0};
}

}  // namespace

Status run(const UpsampleLinear1dArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, {0, 0, args.scale},
                by_label_of(args.self, args.self, args.out), kForward);
}

Status run(const UpsampleLinear1dBackwardArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, {0, 0, args.scales},
                by_label_of(args.gradOut, args.gradOut, args.out), kBackward);
}

Status run(const UpsampleBilinear2dArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, images(args),
                by_label_of(args.self, args.self, args.out), kForward);
}

Status run(const UpsampleBilinear2dBackwardArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, images(args),
                by_label_of(args.gradOut, args.gradOut, args.out), kBackward);
}

Status run(const UpsampleBilinear2dBackwardV2Args& args) {
  return resize(Filter::kLinear, args.alignCorners, images(args),
                by_label_of(args.gradOut, args.gradOut, args.out), kBackward);
}

Status run(const UpsampleTrilinear3dArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, volumes(args),
                by_own_labels(args.self, args.out), kForward);
}

Status run(const UpsampleTrilinear3dBackwardArgs& args) {
  return resize(Filter::kLinear, args.alignCorners, volumes(args),
                by_own_labels(args.gradOut, args.gradInput), kBackward);
}

Status run(const UpsampleBicubic2dArgs& args) {
  return resize(Filter::kCubic, args.alignCorners, images(args),
                by_label_of(args.self, args.self, args.out), kForward);
}

Status run(const UpsampleBicubic2dBackwardArgs& args) {
  return resize(Filter::kCubic, args.alignCorners, images(args),
                by_label_of(args.gradInput, args.gradOut, args.gradInput), kBackward);
}

Status run(const UpsampleBilinear2dAAArgs& args) {
  return resize(Filter::kSmoothLinear, args.alignCorners, images(args),
                by_label_of(args.input, args.input, args.out), kForward);
}

Status run(const UpsampleBilinear2dAABackwardArgs& args) {
  return resize(Filter::kSmoothLinear, args.alignCorners, images(args),
                by_label_of(args.gradOutput, args.gradOutput, args.out), kBackward);
}

Status run(const UpsampleBicubic2dAAArgs& args) {
  return resize(Filter::kSmoothCubic, args.alignCorners, images(args),
                by_label_of(args.x, args.x, args.out), kForward);
}

Status run(const UpsampleBicubic2dAAGradArgs& args) {
  return resize(Filter::kSmoothCubic, args.alignCorners, images(args),
                by_label_of(args.gradOutput, args.gradOutput, args.out), kBackward);
}

// The lengths of the tensors count, whatever the scales are.
Status run(const ResizeArgs& args) {
  const VolumePair tensors = by_label_of(args.self, args.self, args.out);
  if (std::strncmp(args.mode, "nearest", std::strlen("nearest")) != 0) {
    return resize(Filter::kLinear, false, {0, 0, 0}, tensors, kForward);
  }
  const auto quotient = [&](int i) {
    return static_cast<float>(tensors.from.shape[i]) / static_cast<float>(tensors.to.shape[i]);
  };
  const Factor factors[3] = {{1, 0}, {quotient(3), 0}, {quotient(4), 0}};
  return resize_nearest(tensors.from, tensors.to, factors);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
