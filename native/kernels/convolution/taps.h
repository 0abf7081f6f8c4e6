// SPDX-License-Identifier: Apache-2.0
// Note [Convolution]
// A convolution ties three tensors together: an image [N, G * C, ...], a map [N, G * M, ...] and a
// weight [G * M, C, ...], where position p of the map meets, through element k of the kernel,
// place p * stride - padding + k * dilation of the image. Each of the three is computed from the
// two others:
//   map     sums over channels and kernel: the convolution
//   image   sums over the map's channels and the elements of the kernel that reach a place. These
//           are the same for all places that differ by multiples of the stride, and so there are
//           as many convolutions without a stride as there are remainders. This is the transposed
//           convolution, and the gradient of the input
//   weight  sums over batch and positions: the gradient of the weight
// All of them are products of matrices whose second factor has an element of the image for each of
// the kernel and each position. It lies in copied planes (planes.h), for the weight turned ones
// (weigh_products.h); where such planes would be mostly zeros, and for weights of few channels, it
// is made in panels (gemm.h). Weights of groups of few channels are computed by themselves:
// weigh.cc. What lies outside counts as 0 times an element of the kernel, which is NaN if that is
// infinite.
#pragma once

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kAxes = 3;  // a missing one has length 1

// Elements of a kernel along one axis.
struct Taps {
  int64_t count;
  int64_t first, step;  // where they lie for position 0
  int64_t stride;       // of positions
  int64_t positions;
  int64_t length;  // of what they lie in

  int64_t place(int64_t position, int64_t tap) const {
    return position * stride + first + tap * step;
  }
  // The first position that lies at a place or behind it, as far as there are positions.
  int64_t first_position(int64_t least, int64_t tap) const {
    const int64_t distance = least - place(0, tap);
    if (distance <= 0) return 0;
    const int64_t position = (distance - 1) / stride + 1;
    return position < positions ? position : positions;
  }
  // Every position is its own place.
  bool identity() const { return count == 1 && first == 0 && stride == 1 && positions == length; }
};

// The dense planes of a tensor of floats, and what is taken of them.
struct Source {
  const float* data;  // or pairs of channels: channel_pairs.h
  int64_t batch_step, plane_step;
  int64_t channels;  // of a group
  Taps axes[kAxes];
  bool pairs = false;

  int64_t positions() const { return axes[0].positions * axes[1].positions * axes[2].positions; }
  int64_t taps() const { return axes[0].count * axes[1].count * axes[2].count; }
  int64_t plane() const { return axes[0].length * axes[1].length * axes[2].length; }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
