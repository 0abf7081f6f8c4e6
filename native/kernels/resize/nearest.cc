// SPDX-License-Identifier: Apache-2.0
// The operators that resize to the nearest neighbour, and their gradients.
#include "kernels/resize/nearest.h"

#include "kernels/resize/layout.h"
#include "ops/upsample_nearest1d.h"
#include "ops/upsample_nearest1d_backward.h"
#include "ops/upsample_nearest1d_v2.h"
#include "ops/upsample_nearest2d.h"
#include "ops/upsample_nearest2d_backward.h"
#include "ops/upsample_nearest2d_v2.h"
#include "ops/upsample_nearest3d.h"
#include "ops/upsample_nearest3d_backward.h"
#include "ops/upsample_nearest_exact1d.h"
#include "ops/upsample_nearest_exact1d_backward.h"
#include "ops/upsample_nearest_exact2d.h"
#include "ops/upsample_nearest_exact2d_backward.h"
#include "ops/upsample_nearest_exact3d.h"
#include "ops/upsample_nearest_exact3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr float kBegins = 0, kMiddles = 0.5f;

// What a user gave for depth, height and width; what is not above 0, NaN included, is none.
struct Scales {
  double depth = 0;
  double height = 0;
  double width = 0;

  double operator[](int axis) const { return axis == 0 ? depth : axis == 1 ? height : width; }
  Scales all_or_none() const { return depth > 0 && height > 0 && width > 0 ? *this : Scales(); }
  // Without those of axes that keep their length.
  Scales where_lengths_change(const TensorView& from, const TensorView& to) const {
    Scales rest = *this;
    if (from.shape[2] == to.shape[2]) rest.depth = 0;
    if (from.shape[3] == to.shape[3]) rest.height = 0;
    if (from.shape[4] == to.shape[4]) rest.width = 0;
    return rest;
  }
};

float quotient(const VolumePair& tensors, int axis) {
  return static_cast<float>(tensors.from.shape[2 + axis]) /
         static_cast<float>(tensors.to.shape[2 + axis]);
}

// A result is read by the label of the input, a gradient by its own.
VolumePair forward(const TensorView& from, const TensorView& to) {
  return by_label_of(from, from, to);
}
VolumePair backward(const TensorView& from, const TensorView& to) {
  return by_own_labels(from, to);
}

Status resize(const VolumePair& tensors, const Scales& scales, float shift) {
  Factor factors[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double scale = scales[axis];
    factors[axis] = {scale > 0 ? static_cast<float>(1.0 / scale) : quotient(tensors, axis), shift};
  }
  return resize_nearest(tensors.from, tensors.to, factors);
}

Status sum(const VolumePair& tensors, const Scales& scales, float shift) {
  Factor factors[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double scale = scales[axis];
    factors[axis] = {scale > 0 ? static_cast<float>(scale) : quotient(tensors, axis), shift};
  }
  return sum_nearest(tensors.from, tensors.to, factors);
}

// Images that double count as just that, unless they are large.
double doubling(double scale, int64_t from, int64_t to, int64_t other) {
  constexpr int64_t kSmall = 128;
  return to == 2 * from && to + other <= kSmall ? 2 : scale;
}

}  // namespace

Status run(const UpsampleNearest1dArgs& args) {
  return resize(forward(args.self, args.out), {}, kBegins);
}

Status run(const UpsampleNearest2dArgs& args) {
  return resize(forward(args.self, args.out), {}, kBegins);
}

Status run(const UpsampleNearest1dV2Args& args) {
  return resize(forward(args.self, args.out), {0, 0, args.scaleL}, kBegins);
}

Status run(const UpsampleNearest2dV2Args& args) {
  const VolumePair tensors = forward(args.self, args.out);
  if (!(args.scalesH > 0 && args.scalesW > 0)) return resize(tensors, {}, kBegins);
  const int64_t height = tensors.to.shape[3], width = tensors.to.shape[4];
  const Scales scales = {0, doubling(args.scalesH, tensors.from.shape[3], height, width),
                         doubling(args.scalesW, tensors.from.shape[4], width, height)};
  return resize(tensors, scales.where_lengths_change(tensors.from, tensors.to), kBegins);
}

Status run(const UpsampleNearest3dArgs& args) {
  const Scales scales = {args.scalesD, args.scalesH, args.scalesW};
  return resize(forward(args.self, args.out), scales.all_or_none(), kBegins);
}

Status run(const UpsampleNearestExact1dArgs& args) {
  return resize(forward(args.self, args.out), {0, 0, args.scales}, kMiddles);
}

Status run(const UpsampleNearestExact2dArgs& args) {
  const VolumePair tensors = forward(args.self, args.out);
  const Scales scales = {0, args.scalesH, args.scalesW};
  return resize(tensors, scales.where_lengths_change(tensors.from, tensors.to), kMiddles);
}

Status run(const UpsampleNearestExact3dArgs& args) {
  const Scales scales = {args.scalesD, args.scalesH, args.scalesW};
  return resize(forward(args.self, args.out), scales.all_or_none(), kMiddles);
}

// A scale that does not lead to the length of the gradient does not count.
Status run(const UpsampleNearest1dBackwardArgs& args) {
  const VolumePair tensors = backward(args.gradOut, args.out);
  const double length = static_cast<double>(tensors.to.shape[4]) * args.scales;
  const double wanted = static_cast<double>(tensors.from.shape[4]);
  const bool counts = length >= wanted && length < wanted + 1;
  return sum(tensors, {0, 0, counts ? args.scales : 0}, kBegins);
}

Status run(const UpsampleNearest2dBackwardArgs& args) {
  const VolumePair tensors = backward(args.gradOut, args.gradInput);
  const Scales scales = {0, args.scalesH, args.scalesW};
  return sum(tensors, scales.where_lengths_change(tensors.from, tensors.to), kBegins);
}

Status run(const UpsampleNearest3dBackwardArgs& args) {
  const VolumePair tensors = backward(args.gradOut, args.gradInput);
  const Scales scales = {args.scalesD, args.scalesH, args.scalesW};
  return sum(tensors, scales.all_or_none(), kBegins);
}

Status run(const UpsampleNearestExact1dBackwardArgs& args) {
  return sum(backward(args.gradOutput, args.out), {0, 0, args.scales}, kMiddles);
}

Status run(const UpsampleNearestExact2dBackwardArgs& args) {
  const VolumePair tensors = backward(args.gradOutput, args.out);
  const Scales scales = {0, args.scalesH, args.scalesW};
  return sum(tensors, scales.where_lengths_change(tensors.from, tensors.to), kMiddles);
}

Status run(const UpsampleNearestExact3dBackwardArgs& args) {
  const VolumePair tensors = backward(args.gradOut, args.gradInput);
  const Scales scales = {args.scalesD, args.scalesH, args.scalesW};
  return sum(tensors, scales.all_or_none(), kMiddles);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
