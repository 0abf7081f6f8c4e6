// SPDX-License-Identifier: Apache-2.0
// What windows of two by two by two that lie side by side mean with their indices.
#pragma once

#include "kernels/pooling/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

inline bool windows_are_pairs(const PoolGradient& work) {
  // Differences of indices stay far from where 32 bits would wrap around to a small one.
  constexpr int64_t kMostElements = 1 << 29;
  const Window& window = work.window;
  for (int axis = 0; axis < 3; ++axis) {
    if (window.kernel[axis] != 2 || window.stride[axis] != 2) return false;
    if (window.padding[axis] != 0 || window.dilation[axis] != 1) return false;
    if (2 * work.gradients.shape[2 + axis] > work.result.shape[2 + axis]) return false;
  }
  return work.result.slab(0).elements() <= kMostElements;
}

// What sums of one gradient each are: -0 becomes 0, and NaN a quiet one.
template <int lanes, typename T>
inline Vector<BitsOf<T>, lanes> sums_of_one(const T* values) {
  using Bits = BitsOf<T>;
  using Codes = Vector<Bits, lanes>;
  if constexpr (std::is_same_v<T, float>) {
    using Floats = Vector<float, lanes>;
    return bit_cast<Codes>(Floats{} + load_vector<Floats>(values));
  } else {
    constexpr bool kHalf = std::is_same_v<T, Half>;
    constexpr Bits kSign = 0x8000, kInfinity = kHalf ? 0x7C00 : 0x7F80;
    constexpr Bits kQuiet = kHalf ? 0x0200 : 0x0040;
    const Codes bits = load_vector<Codes>(values);
    const Codes magnitude = bits & static_cast<Bits>(~kSign);
    const Codes quiet = bits | (bit_cast<Codes>(magnitude > kInfinity) & kQuiet);
    return magnitude == Bits{0} ? Codes{} : quiet;
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
