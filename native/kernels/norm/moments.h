// SPDX-License-Identifier: Apache-2.0
// Means and variances of arrays of floats, in an order that follows from their lengths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engines/rows.h"
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

using FloatLanes = reduce_detail::LaneSums<float, 4>;

// Adds gradients times what was normalised. Zeros fill up the last step of lanes.
inline void add_slopes(int64_t n, const float* gradient, const float* x, float mean, float rstd,
                       FloatLanes& sums) {
  const int64_t steps = n / kSumLanes * kSumLanes;
  sums.add([=](auto a, auto b) { return a * ((b - mean) * rstd); }, steps, gradient, x);
  if (steps == n) return;
  float last[kSumLanes] = {}, xhat[kSumLanes] = {};
  std::copy(gradient + steps, gradient + n, last);
  for (int64_t i = steps; i < n; ++i) xhat[i - steps] = (x[i] - mean) * rstd;
  sums.add([](auto a, auto b) { return a * b; }, kSumLanes, last, xhat);
}
inline double lane_slopes(int64_t n, const float* gradient, const float* x, float mean,
                          float rstd) {
  FloatLanes sums;
  add_slopes(n, gradient, x, mean, rstd, sums);
  return sums.total();
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
inline void add_squares(const Mean& mean, int64_t n, const float* x, FloatLanes& sums) {
  const float high = mean.high, low = mean.low;
  const auto square = [=](auto a, auto) {
    const auto off = (a - high) - low;
    return off * off;
  };
  const int64_t steps = n / kSumLanes * kSumLanes;
  sums.add(square, steps, x, x);
  if (steps == n) return;
  float last[kSumLanes];
  std::fill_n(last, kSumLanes, high);
  std::copy(x + steps, x + n, last);
  sums.add(square, kSumLanes, last, last);
}
inline double squares_around(const Mean& mean, int64_t n, const float* x) {
  FloatLanes sums;
  add_squares(mean, n, x, sums);
  return sums.total();
}

// The same of rows as they are stored, of 16 bits; where adding some in float is too narrow, not
// so.
template <typename Stored>
double sum_stored(const Stored* x, int64_t n) {
  const auto same = [](auto a, auto) { return a; };
  reduce_detail::LaneSums<Stored> sums;
  sums.add(same, n, x, x);
  if (std::isfinite(sums.total())) return sums.total();
  reduce_detail::LaneSums<Stored, 1> exact;
  exact.add(same, n, x, x);
  return exact.total();
}
template <typename Stored>
double squares_around(const Mean& mean, int64_t n, const Stored* x) {
  const float high = mean.high, low = mean.low;
  const auto square = [=](auto a, auto) {
    const auto off = (a - high) - low;
    return off * off;
  };
  const int64_t steps = n / kSumLanes * kSumLanes;
  reduce_detail::LaneSums<Stored> squares;
  squares.add(square, steps, x, x);
  double total = squares.total();
  for (int64_t i = steps; i < n; ++i) total += double{square(widen(x[i]), 0)};
  return total;
}

// The mean of a row, or 0 if it is not centred, and the mean square around it.
struct RowMoments {
  template <typename Stored>
  RowMoments(const Stored* x, int64_t n, bool centred = true) {
    const auto values = static_cast<double>(n);
    if (centred) mean = Mean(sum_stored(x, n) / values);
    variance = squares_around(mean, n, x) / values;
  }
  RowMoments(RowInput<float>& row, int64_t n, bool centred = true) {
    if (const float* const x = row.array()) {  // at once: short rows have little time to lose
      if (centred) mean = Mean(lane_sum(n, x) / static_cast<double>(n));
      variance = squares_around(mean, n, x) / static_cast<double>(n);
      return;
    }
    reduce_detail::LaneSums<float> sums;
    if (centred) {
      for_each_piece(n, [&](Range piece) {
        const float* const x = row.read(piece);
        sums.add([](auto a, auto) { return a; }, piece.count, x, x);
      });
      mean = Mean(sums.total() / static_cast<double>(n));
    }
    FloatLanes squares;
    for_each_piece(n,
                   [&](Range piece) { add_squares(mean, piece.count, row.read(piece), squares); });
    variance = squares.total() / static_cast<double>(n);
  }

  Mean mean;
  double variance;
};

inline float inverse_root(double variance, double epsilon) {
  return static_cast<float>(1 / std::sqrt(variance + epsilon));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
