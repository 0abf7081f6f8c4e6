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

inline void multiply(const float* a, const float* b, int64_t n, float* products) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) products[i] = a[i] * b[i];
}

// The products of gradients with what was normalised.
inline void slopes(const float* gradient, const float* x, float mean, float rstd, int64_t n,
                   float* products) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) products[i] = gradient[i] * ((x[i] - mean) * rstd);
}

// The gradient times a factor, less a share of what all have in common.
template <typename Factor>
struct Shares {
  Factor mean, rstd;
  Factor own, steady, sloping;
};
template <typename Factor>
void combine(const float* gradient, const float* x, const Shares<Factor>& shares, int64_t n,
             float* results) {
  const Shares<Factor> by = shares;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float xhat = (x[i] - by.mean[i]) * by.rstd[i];
    results[i] = (gradient[i] * by.own[i] - by.steady[i]) - xhat * by.sloping[i];
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
