// SPDX-License-Identifier: Apache-2.0
// Norms of each channel of each image.
#include "ops/instance_norm.h"

#include <cstring>

#include "kernels/norm/channel_norm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Channels that come last, second.
TensorView with_channels_second(const TensorView& images) {
  TensorView turned = images;
  for (int i = 0; i < 3; ++i) {
    const int from = i == 0 ? 3 : i;
    turned.shape[i + 1] = images.shape[from];
    turned.strides[i + 1] = images.strides[from];
  }
  return turned;
}

}  // namespace

Status run(const InstanceNormArgs& args) {
  const bool last = std::strncmp(args.dataFormat, "NHWC", 4) == 0;
  const TensorView x = last ? with_channels_second(args.x) : args.x;
  const TensorView y = last ? with_channels_second(args.y) : args.y;
  GroupNorm norm;
  norm.shape = channels_of(x);
  norm.groups = norm.shape.channels;
  norm.epsilon = args.eps;
  norm.x = &x;
  norm.weight = &args.gamma;
  norm.bias = &args.beta;
  norm.y = &y;
  norm.mean = &args.mean;
  norm.rstd = &args.variance;
  norm.gives_variance = true;
  return normalize(norm);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
