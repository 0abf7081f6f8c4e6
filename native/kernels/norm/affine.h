// SPDX-License-Identifier: Apache-2.0
// Loops over elements that share their factors, or have one each.
#pragma once

#include <cstdint>

#include "kernels/norm/moments.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A number for all elements, and one for each.
struct Same {
  float value;
  float operator[](int64_t) const { return value; }
};
struct Each {
  const float* values;
  float operator[](int64_t i) const { return values[i]; }
};

// The mean is the sum of two floats.
template <typename Factor>
void scale(const float* x, Factor high, Factor low, Factor factor, Factor bias, int64_t n,
           float* y) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = ((x[i] - high[i]) - low[i]) * factor[i] + bias[i];
}

inline void square_offsets(const float* x, Each high, Each low, int64_t n, float* squares) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float off = (x[i] - high[i]) - low[i];
    squares[i] = off * off;
  }
}

inline void multiply(const float* a, const float* b, int64_t n, float* products) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) products[i] = a[i] * b[i];
}

template <typename Factor>
void offsets(const float* x, Factor mean, Factor rstd, int64_t n, float* xhat) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) xhat[i] = (x[i] - mean[i]) * rstd[i];
}

// The gradient times a factor, less a share of what all have in common.
template <typename Factor>
void combine(const float* gradient, const float* xhat, Factor own, Factor steady, Factor sloping,
             int64_t n, float* results) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    results[i] = (gradient[i] * own[i] - steady[i]) - xhat[i] * sloping[i];
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
