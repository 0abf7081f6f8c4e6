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

// The same for lines of some images at once, whose factors are loaded once for all of them.
template <int images>
void combine_lines(float* const* gradient, float* const* x, const Shares<Each>& shares, int64_t n,
                   float* const* results) {
  const Shares<Each> by = shares;
  const float *dy[images], *values[images];
  float* to[images];
  for (int k = 0; k < images; ++k) dy[k] = gradient[k], values[k] = x[k], to[k] = results[k];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < images; ++k) {
      const float xhat = (values[k][i] - by.mean[i]) * by.rstd[i];
      to[k][i] = (dy[k][i] * by.own[i] - by.steady[i]) - xhat * by.sloping[i];
    }
  }
}

// Adds gradients, and those times what was normalised, of lines of some images.
template <int images>
void add_lines(float* const* gradient, float* const* x, Each mean, Each rstd, int64_t n,
               float* steady, float* sloping) {
  const float *dy[images], *values[images];
  for (int k = 0; k < images; ++k) dy[k] = gradient[k], values[k] = x[k];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    float sum = steady[i], slope = sloping[i];
    for (int k = 0; k < images; ++k) {
      sum += dy[k][i];
      slope += dy[k][i] * ((values[k][i] - mean[i]) * rstd[i]);
    }
    steady[i] = sum;
    sloping[i] = slope;
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
