// SPDX-License-Identifier: Apache-2.0
// Means and variances of arrays of floats, in an order that follows from their lengths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engines/sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Of point(x, y), which takes vectors.
template <typename Point>
double lane_sum(const Point& point, int64_t n, const float* x, const float* y) {
  reduce_detail::LaneSums<float, 4> sums;
  sums.add(point, n, x, y);
  return sums.total();
}
// In double: where a mean is large, what is rounded would not be small beside the deviation.
inline double lane_sum(int64_t n, const float* x) { return sum_of(x, n); }
// Some steps in float first.
inline double lane_total(int64_t n, const float* x) {
  return lane_sum([](auto a, auto) { return a; }, n, x, x);
}
inline double lane_products(int64_t n, const float* x, const float* y) {
  return lane_sum([](auto a, auto b) { return a * b; }, n, x, y);
}

// A mean as the sum of two floats: differences from it lose nothing that matters.
struct Mean {
  Mean() = default;
  explicit Mean(double mean)
      : high(static_cast<float>(mean)),
        low(std::isfinite(high) ? static_cast<float>(mean - high) : 0) {}
  float high = 0, low = 0;
};

// What is missing from the last step of lanes is filled up with the mean.
inline double squares_around(const Mean& mean, int64_t n, const float* x) {
  const float high = mean.high, low = mean.low;
  const auto square = [=](auto a, auto) {
    const auto off = (a - high) - low;
    return off * off;
  };
  const int64_t steps = n / kSumLanes * kSumLanes;
  reduce_detail::LaneSums<float, 4> sums;
  sums.add(square, steps, x, x);
  if (steps < n) {
    float last[kSumLanes];
    std::fill_n(last, kSumLanes, high);
    std::copy(x + steps, x + n, last);
    sums.add(square, kSumLanes, last, last);
  }
  return sums.total();
}

inline float inverse_root(double variance, double epsilon) {
  return static_cast<float>(1 / std::sqrt(variance + epsilon));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
