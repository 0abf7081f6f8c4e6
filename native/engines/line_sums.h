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
    add_each([line](int64_t j) { return line[j]; });
  }

  // In double at once.
  void add_exactly(const T* line) {
    double* const totals = totals_;
#pragma GCC ivdep
    for (int64_t j = 0; j < width_; ++j) totals[j] += line[j];
  }

  // Products of two lines.
  void add(const T* a, const T* b) {
    add_each([a, b](int64_t j) { return a[j] * b[j]; });
  }

  // What value(j) gives.
  template <typename Value>
  void add_each(const Value& value) {
    add_part(0, width_, value);
    end_line();
  }

  // The same in parts of a line, elements counted from the part's beginning.
  template <typename Value>
  void add_part(int64_t begin, int64_t count, const Value& value) {
    const Value own = value;
    T* const part = part_ + begin;
#pragma GCC ivdep
    for (int64_t j = 0; j < count; ++j) part[j] += own(j);
  }
  void end_line() {
    if (++lines_ % kLinesTogether == 0) finish();
  }

  // For lines that are added elsewhere; no more than fit before the next finish.
  T* part() const { return part_; }
  void end_lines(int64_t count) {
    lines_ += count;
    if (lines_ % kLinesTogether == 0) finish();
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

  int64_t width_, lines_ = 0;
  T* part_;
  double* totals_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
