// SPDX-License-Identifier: Apache-2.0
// The logarithm of the softmax of a row of floats.
#pragma once

#include <cmath>
#include <cstdint>

#include "engines/sums.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// NaN does not win here: it comes back with the sum.
inline float largest(const float* values, int64_t n) {
  constexpr int kLanesAtOnce = 32;
  float lanes[kLanesAtOnce];
  for (float& lane : lanes) lane = -HUGE_VALF;
  int64_t i = 0;
  for (; i + kLanesAtOnce <= n; i += kLanesAtOnce) {
    for (int k = 0; k < kLanesAtOnce; ++k) {
      lanes[k] = values[i + k] > lanes[k] ? values[i + k] : lanes[k];
    }
  }
  for (; i < n; ++i) lanes[0] = values[i] > lanes[0] ? values[i] : lanes[0];
  float most = lanes[0];
  for (const float lane : lanes) most = lane > most ? lane : most;
  return most;
}

// log_softmax(x) = (x - largest) - log_sum: both are at most 0, so nothing cancels.
struct RowSoftmax {
  // Leaves exp(x - largest) in `powers`.
  RowSoftmax(const float* x, int64_t n, float* powers) : largest(aclhost::largest(x, n)) {
    for (int64_t i = 0; i < n; ++i) powers[i] = math::exp(x[i] - largest);
    sum = sum_of(powers, n);
    log_sum = static_cast<float>(std::log(sum));
  }

  float log_probability(float x) const { return (x - largest) - log_sum; }

  float largest;
  double sum;
  float log_sum;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
