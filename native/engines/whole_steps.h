// SPDX-License-Identifier: Apache-2.0
// Rows in whole steps, so that what is left at their end is computed in vectors, too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// results[i] = make(i). The last step, which reaches back, is computed before the others are
// stored: results may take the place of what they are made of.
template <int64_t step, typename T, typename Make>
ACLHOST_INLINE void make_steps(int64_t n, T* results, const Make& make) {
  if (n < step) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) results[i] = make(i);
    return;
  }
  const int64_t whole = n / step * step;
  alignas(64) T last[step];
  if (whole < n) {
#pragma GCC ivdep
    for (int64_t k = 0; k < step; ++k) last[k] = make(n - step + k);
  }
  for (int64_t i = 0; i < whole; i += step) {
#pragma GCC ivdep
    for (int64_t k = i; k < i + step; ++k) results[k] = make(k);
  }
  if (whole < n) std::copy_n(last, step, results + n - step);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
