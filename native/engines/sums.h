// SPDX-License-Identifier: Apache-2.0
// Sums of arrays, in an order that follows from their lengths.
#pragma once

#include <cstdint>

#include "engines/lane_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Of floats or doubles, in double.
template <typename T>
double sum_of(const T* values, int64_t n) {
  reduce_detail::LaneSums<T> lanes;
  lanes.add([](auto x, auto) { return x; }, n, values, values);
  return lanes.total();
}

// Adds up parts, which are lost, in halves.
template <typename T>
T join(T* parts, int64_t n) {
  if (n == 0) return T{};
  for (int64_t half; n > 1; n = half) {
    half = (n + 1) / 2;
    for (int64_t i = 0; i + half < n; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
