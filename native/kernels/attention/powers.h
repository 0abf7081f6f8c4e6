// SPDX-License-Identifier: Apache-2.0
// Scores become powers.
#pragma once

#include <cstdint>

#include "kernels/softmax/row_softmax.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Scores become e^(score - most), none of which exceeds 1; their sum. n is a multiple of
// kSoftmaxStep. What is too small for a normal number becomes 0: next to 1 it does not count.
inline double raise_to_powers(float* scores, int64_t n, float most) {
  constexpr float kLeast = -87;
  float lanes[kSoftmaxStep] = {};
  for (int64_t j = 0; j < n; j += kSoftmaxStep) {
    for (int64_t k = 0; k < kSoftmaxStep; ++k) {
      const float x = scores[j + k] - most;
      const math::SingleExponential e(x);
      const float power = e.power(), value = power + power * e.less_one;
      scores[j + k] = x < kLeast ? 0 : value;
      lanes[k] += scores[j + k];
    }
  }
  for (int64_t half = kSoftmaxStep / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
