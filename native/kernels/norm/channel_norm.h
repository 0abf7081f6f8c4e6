// SPDX-License-Identifier: Apache-2.0
// Norms of images with channels: over groups of an image's channels, or over all images of a batch.
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Dense tensors are [images][channels][pixels].
struct Channels {
  int64_t images;
  int64_t channels;
  int64_t pixels;
};

Channels channels_of(const TensorView& x);  // of one with elements

// y = (x - mean) * rstd * weight + bias with statistics of each image's groups of channels, and
// then, if there is a swish, y * sigmoid(swish * y). Tensors that are null or absent are left out.
struct GroupNorm {
  Channels shape;
  int64_t groups;
  double epsilon;
  const TensorView* x;
  const TensorView* weight = nullptr;
  const TensorView* bias = nullptr;
  const TensorView* y = nullptr;
  const TensorView* mean = nullptr;
  const TensorView* rstd = nullptr;
  double swish = 0;
  bool gives_variance = false;  // in place of rstd
};
Status normalize(const GroupNorm& norm);

struct GroupNormGradient {
  Channels shape;
  int64_t groups;
  const TensorView* gradient;
  const TensorView* x;
  const TensorView* mean;
  const TensorView* rstd;
  const TensorView* weight = nullptr;
  const TensorView* of_x = nullptr;
  const TensorView* of_weight = nullptr;
  const TensorView* of_bias = nullptr;
};
Status differentiate(const GroupNormGradient& norm);

// The same with statistics of each channel over all images: those of the batch, which go to mean,
// rstd and, by a momentum, to the running ones; or, if it is not training, the running ones.
struct BatchNorm {
  Channels shape;
  bool training;
  double momentum;
  double epsilon;
  const TensorView* x;
  const TensorView* weight = nullptr;
  const TensorView* bias = nullptr;
  const TensorView* running_mean = nullptr;
  const TensorView* running_variance = nullptr;
  const TensorView* y = nullptr;
  const TensorView* mean = nullptr;
  const TensorView* rstd = nullptr;
};
Status normalize(const BatchNorm& norm);

// Without training statistics are constants.
struct BatchNormGradient {
  Channels shape;
  bool training;
  const TensorView* gradient;
  const TensorView* x;
  const float* mean;
  const float* rstd;
  const TensorView* weight = nullptr;
  const TensorView* of_x = nullptr;
  const TensorView* of_weight = nullptr;
  const TensorView* of_bias = nullptr;
};
Status differentiate(const BatchNormGradient& norm);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
