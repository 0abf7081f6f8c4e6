// SPDX-License-Identifier: Apache-2.0
// The largest and smallest values, and where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "engines/float_sums.h"
#include "engines/reducer_types.h"
#include "engines/reducers.h"
#include "simd/simd.h"

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

// Values that are at least as good as others, else those; those, too, where a value is NaN.
template <bool most, typename V>
V winner(V values, V others) {
  return most ? maximum(values, others) : minimum(values, others);
}

template <typename T>
constexpr int kTurnsOf = 128 / sizeof(T);  // lanes, which are joined in halves

// The largest or smallest of floats or doubles that are numbers, for each `most` one.
template <typename T, bool... most>
class BestNumbers {
 public:
  // False: there may be a NaN, for the sum of all values is one. Values may be of 16 bits.
  template <typename Stored>
  static bool reduce(const Stored* values, int64_t n, T* bests) {
    BestNumbers all;
    int64_t i = 0;
    for (; i + kTurns <= n; i += kTurns) {
      reduce_detail::prefetch_far<kTurns>(values + i);
      all.add(values + i);
    }
    if (i < n) {  // with the first value for those that lack: it is in the first lane already
      Stored last[kTurns];
      std::fill_n(last, kTurns, values[0]);
      std::copy_n(values + i, n - i, last);
      all.add(last);
    }
    Values* lanes = all.lanes_[0];
    ((*bests++ = best_of<most>(lanes), lanes += kVectors), ...);
    reduce_detail::fold(all.sums_, kVectors);
    return !is_nan(reduce_detail::sum_of_lanes(all.sums_[0]));
  }

 private:
  using Values = Vector<T>;
  static constexpr int kTurns = kTurnsOf<T>;
  static constexpr int kVectors = kTurns / kLanes<T>;

  BestNumbers() {
    Values* lanes = lanes_[0];
    ((std::fill_n(lanes, kVectors, splat<Values>(worst<most, T>())), lanes += kVectors), ...);
  }

  template <typename Stored>
  void add(const Stored* values) {
    for (int k = 0; k < kVectors; ++k) {
      const Values some = load_widened(values + k * kLanes<T>);
      Values* lane = lanes_[0] + k;
      ((*lane = winner<most>(some, *lane), lane += kVectors), ...);
      sums_[k] += some;
    }
  }

  template <bool largest>
  static T best_of(Values* lanes) {
    for (int half = kVectors / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lanes[k] = winner<largest>(lanes[k + half], lanes[k]);
    }
    return best_of_lanes<largest>(lanes[0]);
  }
  template <bool largest, typename V>
  static T best_of_lanes(V lanes) {
    constexpr int kHalf = sizeof(V) / sizeof(T) / 2;
    if constexpr (kHalf == 1) {
      return beats<largest>(lanes[1], lanes[0]) ? lanes[1] : lanes[0];
    } else {
      using Lanes = std::make_integer_sequence<int, kHalf>;
      return best_of_lanes<largest>(
          winner<largest>(reduce_detail::lanes_from<kHalf>(lanes, Lanes()),
                          reduce_detail::lanes_from<0>(lanes, Lanes())));
    }
  }

  Values lanes_[sizeof...(most)][kVectors];
  Values sums_[kVectors] = {};
};

template <bool most, typename T>
struct Extreme {
  using Value = T;
  using State = T;
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {}};
  static constexpr int kTurns = kTurnsOf<T>;
  static State none() { return worst<most, T>(); }
  static void add(State& best, T value, int64_t) {
    best = static_cast<bool>(beats<most>(value, best) | is_nan(value)) ? value : best;
  }
  static void join(State& best, const State& other) { add(best, other, 0); }
  static void reduce(const T* values, int64_t n, int64_t, State& best) {
    if constexpr (kIsFloat<T>) {
      if (BestNumbers<T, most>::reduce(values, n, &best)) return;
    }
    T lanes[kTurns];
    for (T& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kTurns <= n; i += kTurns) {
      for (int k = 0; k < kTurns; ++k) add(lanes[k], values[i + k], 0);
    }
    for (int k = 0; i < n; ++i, ++k) add(lanes[k], values[i], 0);
    if constexpr (kIsFloat<T>) {
      for (int half = kTurns / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) add(lanes[k], lanes[k + half], 0);
      }
      best = lanes[0];
    } else {  // compilers make vectors of this
      best = none();
      for (const T& lane : lanes) add(best, lane, 0);
    }
  }

  // Of floats and doubles, or of 16 bits in the place of floats; compilers make no vectors of it.
  template <int count, typename Stored>
  static void add_rows(const Stored* const* rows, int64_t n, State* bests) {
    int64_t i = 0;
    for (; i + kLanes<T> <= n; i += kLanes<T>) {
      Values best = load_vector<Values>(bests + i);
      for (int row = 0; row < count; ++row) {
        const Values values = load_widened(rows[row] + i);
        best = values != values ? values : winner<most>(values, best);
      }
      store_vector(bests + i, best);
    }
    for (; i < n; ++i) {
      for (int row = 0; row < count; ++row) add(bests[i], widen(rows[row][i]), 0);
    }
  }

 private:
  using Values = Vector<T>;
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
  // Positions come in order, so the first of equal values stays.
  static void add(State& best, T value, int64_t position) {
    take_if(is_better(value, best.value), best, {value, position});
  }
  // States come in any order.
  static void join(State& best, const State& other) {
    const bool is_same = (other.value == best.value) | (is_nan(other.value) & is_nan(best.value));
    const bool is_earlier = is_same & (other.position < best.position);
    take_if(is_better(other.value, best.value) | is_earlier, best, other);
  }
  static void reduce(const T* values, int64_t n, int64_t position, State& best) {
    Extreme<most, T>::reduce(values, n, 0, best.value);
    int64_t i = 0;
    if (is_nan(best.value)) {
      while (!is_nan(values[i])) ++i;
    } else {
      i = find(values, n, best.value);
    }
    best = {values[i], position + i};
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

 private:
  static bool is_better(T value, T other) {
    return beats<most>(value, other) | (is_nan(value) & !is_nan(other));
  }
  static void take_if(bool wins, State& best, const State& other) {
    best.value = wins ? other.value : best.value;
    best.position = wins ? other.position : best.position;
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
    if constexpr (kIsFloat<T>) {
      T bests[2];
      const bool are_numbers = BestNumbers<T, false, true>::reduce(values, n, bests);
      range = {bests[0], bests[1]};
      if (are_numbers) return;
    }
    Minimum<T>::reduce(values, n, 0, range.least);
    Maximum<T>::reduce(values, n, 0, range.most);
  }
};

}  // namespace reducers
}  // namespace ACLHOST_ISA
}  // namespace aclhost
