// SPDX-License-Identifier: Apache-2.0
// Tensors of signals, images and volumes, all of them seen as volumes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

inline bool is_channels_last(const TensorView& view) {
  return (view.rank == 4 && view.format == ACL_FORMAT_NHWC) ||
         (view.rank == 5 && view.format == ACL_FORMAT_NDHWC);
}

// N, C, D, H, W of a tensor of rank 3 to 5; lengths that it lacks are 1. Other ranks get here with
// a single element only, which some checks accept in any rank.
inline TensorView as_volumes(const TensorView& view, bool channels_last) {
  TensorView volumes = view;
  volumes.rank = 5;
  std::fill_n(volumes.shape, 5, 1);
  std::fill_n(volumes.strides, 5, 0);
  if (view.rank < 3 || view.rank > 5) return volumes;
  const auto take = [&](int axis, int dimension) {
    volumes.shape[axis] = view.shape[dimension];
    volumes.strides[axis] = view.strides[dimension];
  };
  const int lacking = 5 - view.rank;
  take(0, 0);
  take(1, channels_last ? view.rank - 1 : 1);
  for (int axis = 2 + lacking; axis < 5; ++axis) take(axis, axis - lacking - channels_last);
  return volumes;
}

// Two tensors as volumes.
struct VolumePair {
  TensorView from;
  TensorView to;
};

inline VolumePair by_label_of(const TensorView& labelled, const TensorView& from,
                              const TensorView& to) {
  const bool last = is_channels_last(labelled);
  return {as_volumes(from, last), as_volumes(to, last)};
}

inline VolumePair by_own_labels(const TensorView& from, const TensorView& to) {
  return {as_volumes(from, is_channels_last(from)), as_volumes(to, is_channels_last(to))};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
