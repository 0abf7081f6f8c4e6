// SPDX-License-Identifier: Apache-2.0
// Sums of lines, element by element, in the order of the lines.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A few lines are added in T, then in double. Both arrays have room for a line.
template <typename T>
class LineSums {
 public:
  LineSums(int64_t width, T* part, double* totals) : width_(width), part_(part), totals_(totals) {
    std::fill_n(part, width, T{0});
    std::fill_n(totals, width, 0.0);
  }

  void add(const T* line) {
    T* const part = part_;
#pragma GCC ivdep
    for (int64_t j = 0; j < width_; ++j) part[j] += line[j];
    added();
  }

  // In double at once.
  void add_exactly(const T* line) {
    double* const totals = totals_;
#pragma GCC ivdep
    for (int64_t j = 0; j < width_; ++j) totals[j] += line[j];
  }

  // Products of two lines.
  void add(const T* a, const T* b) {
    T* const part = part_;
#pragma GCC ivdep
    for (int64_t j = 0; j < width_; ++j) part[j] += a[j] * b[j];
    added();
  }

  // What is left, once all lines are added.
  void finish() {
    T* const part = part_;
    double* const totals = totals_;
#pragma GCC ivdep
    for (int64_t j = 0; j < width_; ++j) totals[j] += part[j];
    std::fill_n(part, width_, T{0});
  }

 private:
  static constexpr int64_t kLinesTogether = 8;

  void added() {
    if (++lines_ % kLinesTogether == 0) finish();
  }

  int64_t width_, lines_ = 0;
  T* part_;
  double* totals_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
