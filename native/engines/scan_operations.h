// SPDX-License-Identifier: Apache-2.0
// What a scan does to blocks of widened values: see Note [Scans] in scan.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace scans {

// An element is kNumbers numbers. `along` goes on in one row from `state`; `across` takes the next
// row of many columns, each with a state of its own. Places are those of extremes.
template <typename T, int kCount>
struct Sum {
  using Number = T;
  static constexpr int kNumbers = kCount;
  static constexpr bool kIsSum = true, kHasPlaces = false;
  static constexpr T kStart = 0;

  static void along(T* values, int64_t count, T* state) {
    if constexpr (kCount == 1) {
      add_parts(values, count, state);
    } else {
      for (int64_t i = 0; i < count * kCount; ++i) values[i] = state[i % kCount] += values[i];
    }
  }
  static void across(T* values, int64_t numbers, T* states) {
    for (int64_t i = 0; i < numbers; ++i) values[i] = states[i] += values[i];
  }

  // What the values of a whole block add up to, in lanes that vectors can be.
  static void total(const T* values, int64_t numbers, T* state) {
    constexpr int64_t kLanes = 16;
    T lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= numbers; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) lanes[k] += values[i + k];
    }
    for (int64_t k = 0; i + k < numbers; ++k) lanes[k] += values[i + k];
    for (int64_t k = 0; k < kLanes; ++k) state[k % kCount] += lanes[k];
  }

 private:
  // Four sums at a time: each waits for its own last addition only.
  static void add_parts(T* values, int64_t count, T* state) {
    const int64_t part = count / 4;
    T *const second = values + part, *const third = second + part, *const fourth = third + part;
    T a = 0, b = 0, c = 0, d = 0;
    for (int64_t i = 0; i < part; ++i) {
      values[i] = a += values[i];
      second[i] = b += second[i];
      third[i] = c += third[i];
      fourth[i] = d += fourth[i];
    }
    for (int64_t i = part; i < count - 3 * part; ++i) fourth[i] = d += fourth[i];
    add(values, part, *state);
    add(second, part, *state += a);
    add(third, part, *state += b);
    add(fourth, count - 3 * part, *state += c);
    *state += d;
  }
  static void add(T* values, int64_t count, T before) {
    for (int64_t i = 0; i < count; ++i) values[i] += before;
  }
};

// In order: parts of a product may overflow where the whole does not.
template <typename T>
struct Product {
  using Number = T;
  static constexpr int kNumbers = 1;
  static constexpr bool kIsSum = false, kHasPlaces = false;
  static constexpr T kStart = 1;

  static void along(T* values, int64_t count, T* state) {
    T product = *state;
    for (int64_t i = 0; i < count; ++i) values[i] = product *= values[i];
    *state = product;
  }
  static void across(T* values, int64_t numbers, T* states) {
    for (int64_t i = 0; i < numbers; ++i) values[i] = states[i] *= values[i];
  }

  // Four rows that begin `step` numbers after each other: each waits for its own product only.
  static void along_four(T* values, int64_t step, int64_t count, T* states) {
    T a = states[0], b = states[1], c = states[2], d = states[3];
    for (int64_t i = 0; i < count; ++i) {
      values[i] = a *= values[i];
      values[step + i] = b *= values[step + i];
      values[2 * step + i] = c *= values[2 * step + i];
      values[3 * step + i] = d *= values[3 * step + i];
    }
    states[0] = a, states[1] = b, states[2] = c, states[3] = d;
  }
};

template <typename T, bool kIsMaximum>
struct Extreme {
  using Number = T;
  static constexpr int kNumbers = 1;
  static constexpr bool kIsSum = false, kHasPlaces = true;
  static constexpr T kStart = 0;  // the first value counts whatever it is

  static bool takes(T value, T state) {
    const bool better = kIsMaximum ? value >= state : value <= state;
    return value != value || (better && state == state);
  }

  static void along(T* values, int64_t count, T* state, int64_t* places, int64_t first,
                    int64_t* place) {
    constexpr int64_t kSome = 16;
    T best = first == 0 ? values[0] : *state;
    int64_t where = first == 0 ? 0 : *place;
    for (int64_t i = 0, n; i < count; i += n) {
      n = std::min(kSome, count - i);
      if (n == kSome && are_worse<kSome>(values + i, best)) {
        std::fill_n(values + i, kSome, best);
        std::fill_n(places + i, kSome, where);
        continue;
      }
      for (int64_t k = i; k < i + n; ++k) {
        // A branch: it is mostly foreseen, and then nothing waits for the comparison.
        if (__builtin_expect(!is_worse(values[k], best), false) && takes(values[k], best)) {
          best = values[k];
          where = first + k;
        }
        values[k] = best;
        places[k] = where;
      }
    }
    *state = best;
    *place = where;
  }
  static void across(T* values, int64_t numbers, T* states, int64_t* places, int64_t position,
                     int64_t* wheres) {
    for (int64_t i = 0; i < numbers; ++i) {
      const bool is_taken = (position == 0) | takes(values[i], states[i]);
      values[i] = states[i] = is_taken ? values[i] : states[i];
      places[i] = wheres[i] = is_taken ? position : wheres[i];
    }
  }

 private:
  static bool is_worse(T value, T best) { return kIsMaximum ? value < best : value > best; }

  template <int64_t count>
  static bool are_worse(const T* values, T best) {
    T others = 0;  // as wide as the values, for vectors
    for (int64_t k = 0; k < count; ++k) others += is_worse(values[k], best) ? T{0} : T{1};
    return others == 0;
  }
};

}  // namespace scans
}  // namespace ACLHOST_ISA
}  // namespace aclhost
