// SPDX-License-Identifier: Apache-2.0
// What the softmax of a row and its logarithm are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "engines/float_sums.h"
#include "engines/whole_steps.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows are padded to whole steps, so that short ones are computed in vectors, too.
constexpr int64_t kSoftmaxStep = 32;

// Of lanes without NaN.
template <typename V>
Element<V> largest_lane(V lanes) {
  constexpr int kHalf = sizeof(V) / sizeof(Element<V>) / 2;
  if constexpr (kHalf == 1) {
    return std::max(lanes[0], lanes[1]);
  } else {
    using Half = std::make_integer_sequence<int, kHalf>;
    const auto low = reduce_detail::lanes_from<0>(lanes, Half());
    const auto high = reduce_detail::lanes_from<kHalf>(lanes, Half());
    return largest_lane(low > high ? low : high);
  }
}

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
  return largest_lane(lanes[0]);
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

// The same as part of a sum that has a 1: what the difference was rounded by changes the sum by
// less than a rounding for each digit of it, and it does not matter which power is less than e^-87.
ACLHOST_INLINE float summed_power(float x, float largest) {
  const float less = x - largest;
  const math::SingleExponential e(less < -87 ? -87 : less);
  return (1 + e.less_one) * e.power();
}
ACLHOST_INLINE double summed_power(double x, double largest) { return math::exp(x - largest); }

// The logarithm of a sum of powers, the largest of which is 1. Short rows wait for it: with a sum
// in double nothing that float would lose has to be made good.
template <typename T>
ACLHOST_INLINE T log_of_powers(double sum) {
  if constexpr (std::is_same_v<T, double>) {
    return math::log1p(sum - 1);
  } else {
    constexpr uint64_t kTwoThirds = 0x3FE5555555555555, kExponent = 0xFFF0000000000000;
    const auto bits = bit_cast<uint64_t>(sum), exponent = (bits - kTwoThirds) & kExponent;
    const auto n = static_cast<float>(static_cast<int32_t>(exponent >> 52));
    const auto f = static_cast<float>(bit_cast<double>(bits - exponent) - 1);
    return sum == sum ? math::log_of_parts(n, f) : static_cast<float>(sum);
  }
}

// Adds power(x) of elements that come in whole steps but for the last, and leaves it in `powers`,
// unless that is null; it may be x.
template <typename T, typename Power, typename Sums>
ACLHOST_INLINE void add_powers(const Power& power, const T* x, int64_t n, T* powers, Sums& sums) {
  constexpr int64_t kPart = 1024;
  alignas(64) T part[kPart];
  const auto add = [&, power](const T* from, int64_t count, T* to) __attribute__((always_inline)) {
    for (int64_t i = 0; i < count; i += kSoftmaxStep) {
#pragma GCC ivdep
      for (int64_t k = i; k < i + kSoftmaxStep; ++k) to[k] = power(from[k]);
    }
    sums.add([](auto each, auto) { return each; }, count, to, to);
  };
  const int64_t steps = n / kSoftmaxStep * kSoftmaxStep, rest = n - steps;
  alignas(64) T last[kSoftmaxStep];
  if (rest > 0 && n >= kSoftmaxStep) std::copy_n(x + n - kSoftmaxStep, kSoftmaxStep, last);
  for (int64_t begin = 0; begin < steps; begin += kPart) {
    add(x + begin, std::min(kPart, steps - begin), powers == nullptr ? part : powers + begin);
  }
  if (rest == 0) return;
  // What is left has the last places, and what is before it has no power.
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  const int64_t done = kSoftmaxStep - rest;
  if (n < kSoftmaxStep) {
    std::copy_n(x, n, last + done);
  }
  for (int64_t k = 0; k < kSoftmaxStep; ++k) last[k] = k < done ? kNone : last[k];
  add(last, kSoftmaxStep, last);
  if (powers == nullptr) return;
  T* const to = powers + n - kSoftmaxStep;
  if (n < kSoftmaxStep) {
    std::copy_n(last + done, rest, powers);
  } else {
    for (int64_t k = 0; k < kSoftmaxStep; ++k) to[k] = k < done ? to[k] : last[k];
  }
}

// log_softmax(x) = (x - largest) - log_sum: both are at most 0, so nothing cancels.
template <typename T>
struct RowSoftmax {
  // Leaves exp(x - largest) in `powers`, which may be x.
  RowSoftmax(const T* x, int64_t n, T* powers) : largest(aclhost::largest(x, n)) {
    reduce_detail::LaneSums<T, 4> sums;
    const T most = largest;
    add_powers([most](T each) { return power_below(each, most); }, x, n, powers, sums);
    sum = sums.total();
  }

  T log_sum() const { return log_of_powers<T>(sum); }

  T largest;
  double sum;
};

// Sums of powers for logarithms alone, in double from the first on: beside a 1, floats would lose
// what the logarithm of a sum that is hardly more consists of.
template <typename T>
class PowerSum {
 public:
  explicit PowerSum(T largest) : largest_(largest) {}
  void add(const T* x, int64_t n) {
    const T most = largest_;
    add_powers<T>([most](T each) { return summed_power(each, most); }, x, n, nullptr, sums_);
  }
  T logarithm() const { return log_of_powers<T>(sums_.total()); }

 private:
  T largest_;
  reduce_detail::LaneSums<T, 1> sums_;
};

// (x - most) - log_sum, which may take the place of x.
template <typename T>
void take_away(const T* x, T most, T log_sum, int64_t n, T* logarithms) {
  make_steps<kSoftmaxStep>(n, logarithms, [=](int64_t i) { return (x[i] - most) - log_sum; });
}

// The logarithms may take the place of x.
template <typename T>
void log_softmax(const T* x, int64_t n, T* logarithms) {
  const T most = largest(x, n);
  PowerSum<T> sum(most);
  sum.add(x, n);
  take_away(x, most, sum.logarithm(), n, logarithms);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
