// SPDX-License-Identifier: Apache-2.0
// What a scan does to blocks of widened values: see Note [Scans] in scan.h.
#pragma once

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
    T best = *state;
    int64_t where = *place;
    for (int64_t i = 0; i < count; ++i) {
      const bool is_taken = (first + i == 0) | takes(values[i], best);
      best = is_taken ? values[i] : best;
      where = is_taken ? first + i : where;
      values[i] = best;
      places[i] = where;
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
};

}  // namespace scans
}  // namespace ACLHOST_ISA
}  // namespace aclhost
