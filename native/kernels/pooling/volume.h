// SPDX-License-Identifier: Apache-2.0
// Tensors of volumes as pooling sees them: batch, channel, depth, height and width, in this order.
#pragma once

#include <cstdint>

#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// One channel of one sample.
struct Slab {
  char* data;
  int64_t shape[3];
  int64_t strides[3];  // in bytes

  int64_t plane() const { return shape[1] * shape[2]; }
  int64_t elements() const { return shape[0] * plane(); }
  char* row(int64_t depth, int64_t height) const {
    return data + depth * strides[0] + height * strides[1];
  }
  // Whether the elements follow each other in memory in row-major order.
  bool dense(int64_t item_size) const {
    return (shape[2] == 1 || strides[2] == item_size) &&
           (shape[1] == 1 || strides[1] == item_size * shape[2]) &&
           (shape[0] == 1 || strides[0] == item_size * plane());
  }
};

struct Volumes {
  char* data;
  int64_t shape[5];
  int64_t strides[5];  // in bytes

  // A negative size is legal in a description; it has no elements either.
  bool empty() const {
    for (int64_t size : shape) {
      if (size <= 0) return true;
    }
    return false;
  }
  int64_t slabs() const { return shape[0] * shape[1]; }
  Slab slab(int64_t number) const {
    const int64_t n = number / shape[1], c = number % shape[1];
    return {data + n * strides[0] + c * strides[1],
            {shape[2], shape[3], shape[4]},
            {strides[2], strides[3], strides[4]}};
  }
};

// Images as volumes of one plane: height and width are the last two dimensions, or those in the
// middle where channels come last.
inline TensorView with_depth(const TensorView& image, bool channels_last = false) {
  TensorView volume = image;
  const int axis = channels_last ? 1 : image.rank - 2;
  for (int i = image.rank; i > axis; --i) {
    volume.shape[i] = image.shape[i - 1];
    volume.strides[i] = image.strides[i - 1];
  }
  volume.shape[axis] = 1;
  volume.strides[axis] = 0;
  ++volume.rank;
  return volume;
}

// A tensor of rank 4 has no batch. Other ranks get here with a single element only, which the
// checks accept in any rank.
inline Volumes volumes_of(const TensorView& view, int64_t item_size, bool channels_last = false) {
  constexpr int kChannelsFirst[] = {0, 1, 2, 3, 4};
  constexpr int kChannelsLast[] = {0, 4, 1, 2, 3};
  const int* order = channels_last ? kChannelsLast : kChannelsFirst;
  Volumes volumes = {
      static_cast<char*>(view.data) + view.offset * item_size, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}};
  if (view.rank != 4 && view.rank != 5) return volumes;
  for (int i = 0; i < 5; ++i) {
    const int dimension = order[i] - (5 - view.rank);
    if (dimension < 0) continue;
    volumes.shape[i] = view.shape[dimension];
    // The stride of a single element moves nowhere and may be absurd.
    if (view.shape[dimension] != 1) volumes.strides[i] = view.strides[dimension] * item_size;
  }
  return volumes;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
