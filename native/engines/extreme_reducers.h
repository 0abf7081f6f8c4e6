// SPDX-License-Identifier: Apache-2.0
// The largest and smallest values, and where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engines/reducer_types.h"
#include "engines/reducers.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reducers {

// Whether a value comes before another, the largest or the smallest first.
template <bool most, typename T>
bool beats(T value, T other) {
  return (most ? value > other : value < other);
}

template <bool most, typename T>
T worst() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return most ? -Limits::infinity() : Limits::infinity();
  return most ? Limits::lowest() : Limits::max();
}

template <bool most, typename T>
struct Extreme {
  using Value = T;
  using State = T;
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {}};
  static State none() { return worst<most, T>(); }
  static void add(State& best, T value, int64_t) {
    best = static_cast<bool>(beats<most>(value, best) | is_nan(value)) ? value : best;
  }
  static void join(State& best, const State& other) { add(best, other, 0); }
  static void reduce(const T* values, int64_t n, int64_t, State& best) {
    if (kIsFloat<T> && reduce_numbers(values, n, best)) return;
    T lanes[kTogether];
    for (T& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether) {
      for (int k = 0; k < kTogether; ++k) add(lanes[k], values[i + k], 0);
    }
    for (int k = 0; i < n; ++i, ++k) add(lanes[k], values[i], 0);
    best = none();
    for (const T& lane : lanes) add(best, lane, 0);
  }

 private:
  static constexpr int64_t kTogether = 128 / sizeof(T);

  // False: there may be a NaN, for the sum of all values is one.
  static bool reduce_numbers(const T* values, int64_t n, State& best) {
    T lanes[kTogether], sums[kTogether] = {};
    for (T& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether) {
      for (int k = 0; k < kTogether; ++k) {
        lanes[k] = beats<most>(values[i + k], lanes[k]) ? values[i + k] : lanes[k];
        sums[k] += values[i + k];
      }
    }
    for (int k = 0; i < n; ++i, ++k) {
      lanes[k] = beats<most>(values[i], lanes[k]) ? values[i] : lanes[k];
      sums[k] += values[i];
    }
    best = none();
    bool numbers = true;
    for (int k = 0; k < kTogether; ++k) {
      best = beats<most>(lanes[k], best) ? lanes[k] : best;
      numbers &= !is_nan(sums[k]);
    }
    return numbers;
  }
};

template <bool most, typename T>
struct ExtremeAt {
  using Value = T;
  struct State {
    T value;
    int64_t position;
  };
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {ACL_INT64, offsetof(State, position)}};
  static State none() { return {worst<most, T>(), 0}; }
  static void add(State& best, T value, int64_t position) { join(best, {value, position}); }
  static void join(State& best, const State& other) {
    const bool wins =
        beats<most>(other.value, best.value) | (is_nan(other.value) & !is_nan(best.value));
    best.value = wins ? other.value : best.value;
    best.position = wins ? other.position : best.position;
  }
  static void reduce(const T* values, int64_t n, int64_t position, State& best) {
    Extreme<most, T>::reduce(values, n, 0, best.value);
    int64_t i = 0;
    if (is_nan(best.value)) {
      while (!is_nan(values[i])) ++i;
    } else {
      i = find(values, n, best.value);
    }
    best.position = position + i;
  }
  static int64_t find(const T* values, int64_t n, T wanted) {
    constexpr int64_t kTogether = 64;
    for (int64_t i = 0; i + kTogether <= n; i += kTogether) {
      int found = 0;
      for (int k = 0; k < kTogether; ++k) found |= values[i + k] == wanted;
      if (!found) continue;
      while (values[i] != wanted) ++i;
      return i;
    }
    int64_t i = n - n % kTogether;
    while (values[i] != wanted) ++i;
    return i;
  }
};
template <typename T>
using Maximum = Extreme<true, T>;
template <typename T>
using Minimum = Extreme<false, T>;
template <typename T>
using MaximumAt = ExtremeAt<true, T>;
template <typename T>
using MinimumAt = ExtremeAt<false, T>;

// Both at once.
template <typename T>
struct Range {
  using Value = T;
  struct State {
    T least;
    T most;
  };
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {dtype_of<T>(), offsetof(State, most)}};
  static State none() { return {Minimum<T>::none(), Maximum<T>::none()}; }
  static void add(State& range, T value, int64_t) { join(range, {value, value}); }
  static void join(State& range, const State& other) {
    Minimum<T>::add(range.least, other.least, 0);
    Maximum<T>::add(range.most, other.most, 0);
  }
  static void reduce(const T* values, int64_t n, int64_t, State& range) {
    Minimum<T>::reduce(values, n, 0, range.least);
    Maximum<T>::reduce(values, n, 0, range.most);
  }
};

}  // namespace reducers
}  // namespace ACLHOST_ISA
}  // namespace aclhost
