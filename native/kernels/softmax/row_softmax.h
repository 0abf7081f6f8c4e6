// SPDX-License-Identifier: Apache-2.0
// What the softmax of a row and its logarithm are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engines/lane_sums.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows are padded to whole steps, so that short ones are computed in vectors, too.
constexpr int64_t kSoftmaxStep = 32;

// NaN does not win here: it comes back with the sum.
template <typename T>
T largest(const T* values, int64_t n) {
  constexpr int kVectors = kSoftmaxStep / kLanes<T>;
  T few[kSoftmaxStep];
  if (n < kSoftmaxStep) {
    std::fill_n(few, kSoftmaxStep, -std::numeric_limits<T>::infinity());
    std::copy_n(values, n, few);
    values = few;
    n = kSoftmaxStep;
  }
  Vector<T> lanes[kVectors];
  for (auto& lane : lanes) lane = splat<Vector<T>>(-std::numeric_limits<T>::infinity());
  const auto keep = [&](const T* step) {
    for (int k = 0; k < kVectors; ++k) {
      lanes[k] = maximum(load_vector<Vector<T>>(step + k * kLanes<T>), lanes[k]);
    }
  };
  for (int64_t i = 0; i + kSoftmaxStep <= n; i += kSoftmaxStep) keep(values + i);
  keep(values + n - kSoftmaxStep);  // some a second time
  for (int k = 1; k < kVectors; ++k) lanes[0] = maximum(lanes[k], lanes[0]);
  T last[kLanes<T>];
  store_vector(last, lanes[0]);
  return *std::max_element(last, last + kLanes<T>);
}

// e^x of x <= 0, or of NaN.
ACLHOST_INLINE float power_of_negative(float x) {
  const math::SingleExponential e(x < -104 ? -104 : x);
  const math::TwoPowers power(e.biased);
  return (1 + e.less_one) * power.first * power.second;
}
ACLHOST_INLINE double power_of_negative(double x) { return math::exp(x); }

// e^(x - largest). What the difference was rounded by is made good: it would change powers of
// large differences by many times their own rounding. Below `kNothing` they are 0, and of infinite
// differences nothing is known.
template <typename T>
ACLHOST_INLINE T power_below(T x, T largest) {
  constexpr T kNothing = std::is_same_v<T, double> ? -800 : -110;
  const T less = x - largest, power = power_of_negative(less);
  const T back = less - x, lost = (x - (less - back)) - (largest + back);
  return less > kNothing ? power + power * lost : power;
}

// The logarithm of a sum of powers, the largest of which is 1.
template <typename T>
T log_of_powers(double sum) {
  return math::log1p(static_cast<T>(sum - 1));
}

// log_softmax(x) = (x - largest) - log_sum: both are at most 0, so nothing cancels.
template <typename T>
class RowSoftmax {
 public:
  // Leaves exp(x - largest) in `powers`, unless that is null; it may be x.
  RowSoftmax(const T* x, int64_t n, T* powers = nullptr) : largest(aclhost::largest(x, n)) {
    constexpr int64_t kPart = 1024;
    alignas(64) T part[kPart];
    reduce_detail::LaneSums<T, 4> sums;
    const int64_t steps = n / kSoftmaxStep * kSoftmaxStep, rest = n - steps;
    for (int64_t begin = 0; begin < steps; begin += kPart) {
      const int64_t count = std::min(kPart, steps - begin);
      T* const to = powers == nullptr ? part : powers + begin;
      raise(x + begin, count, to);
      sums.add([](auto power, auto) { return power; }, count, to, to);
    }
    if (rest > 0) {
      std::fill_n(part, kSoftmaxStep, -std::numeric_limits<T>::infinity());
      std::copy_n(x + steps, rest, part);
      raise(part, kSoftmaxStep, part);
      sums.add([](auto power, auto) { return power; }, kSoftmaxStep, part, part);
      if (powers != nullptr) std::copy_n(part, rest, powers + steps);
    }
    sum = sums.total();
  }

  T log_sum() const { return log_of_powers<T>(sum); }

  T largest;
  double sum;

 private:
  // Whole steps.
  void raise(const T* x, int64_t n, T* powers) const {
    const T most = largest;
    for (int64_t i = 0; i < n; i += kSoftmaxStep) {
#pragma GCC ivdep
      for (int64_t k = i; k < i + kSoftmaxStep; ++k) powers[k] = power_below(x[k], most);
    }
  }
};

// The logarithms may take the place of x.
template <typename T>
void log_softmax(const T* x, int64_t n, T* logarithms) {
  const RowSoftmax<T> softmax(x, n);
  const T most = softmax.largest, log_sum = softmax.log_sum();
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) logarithms[i] = (x[i] - most) - log_sum;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
