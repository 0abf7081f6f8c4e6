// SPDX-License-Identifier: Apache-2.0
// Powers of arrays, the same as those of loops::power.
#pragma once

#include "engines/loops.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

// x and y are arrays or numbers. Most operations of a power of doubles wait for the one before: a
// processor that looks ahead for others to do meanwhile finds more of them in short loops, so
// logarithms have one of their own.
template <typename X, typename Y, typename T>
inline void power_arrays(X x, Y y, T* out, int64_t n) {
  if constexpr (std::is_same_v<T, double>) {
    constexpr int64_t kMost = 256;
    double high[kMost], low[kMost];
    for (int64_t first = 0; first < n; first += kMost) {
      const int64_t count = n - first < kMost ? n - first : kMost;
      for (int64_t i = 0; i < count; ++i) {
        const math::PreciseLog2 logarithm(math::magnitude_of(element(x, first + i)));
        high[i] = logarithm.high;
        low[i] = logarithm.low;
      }
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = first + i;
        out[at] = math::power_of_log(element(x, at), element(y, at), high[i], low[i]);
      }
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = power(element(x, i), element(y, i));
  }
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
