// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The sum of an array in double: interleaved lanes, then a binary tree of them, so that the order
// follows from the count alone.
inline double sum_floats(const float* values, int64_t count) {
  constexpr int kLanes = 16;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (int lane = 0; i + lane < count; ++lane) lanes[lane] += values[i + lane];
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
