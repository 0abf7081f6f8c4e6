// SPDX-License-Identifier: Apache-2.0
// Tables of what elements along a resized axis are made of, in either direction.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "engines/resize_axis.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Memory that grows and forgets what it held.
template <typename T>
class Workspace {
 public:
  // False: there is not enough memory.
  bool reserve(int64_t count) {
    if (count <= count_) return true;
    memory_.reset(new (std::nothrow) T[count]);
    count_ = memory_ != nullptr ? count : 0;
    return memory_ != nullptr;
  }
  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  T& operator[](int64_t i) { return memory_[i]; }
  const T& operator[](int64_t i) const { return memory_[i]; }

 private:
  std::unique_ptr<T[]> memory_;
  int64_t count_ = 0;
};

// What some results that follow each other along an axis are made of: of result k, the taps
// [starts[k], starts[k + 1]).
class Taps {
 public:
  // Results [begin, end) of the axis: its targets, or its sources in the gradient, whose taps are
  // then targets, in their order. False: there is not enough memory.
  bool set(const ResizeAxis& axis, bool gradient, int64_t begin, int64_t end);

  int64_t results() const { return results_; }
  int64_t total() const { return starts[results_]; }
  int64_t most() const { return most_; }  // taps of one result
  // Whether a result is one of the sources as it is.
  bool is_one(int64_t k) const { return starts[k + 1] - starts[k] == 1 && weights[starts[k]] == 1; }
  // All taps lie in [first, end).
  int64_t first() const { return first_; }
  int64_t end() const { return end_; }

  Workspace<int64_t> starts;
  Workspace<int64_t> places;
  Workspace<float> weights;

 private:
  bool set_forward(const ResizeAxis& axis, int64_t begin);
  bool set_gradient(const ResizeAxis& axis, int64_t begin);
  // Makes starts of counts, which stand one further.
  void add_up_counts();

  int64_t results_ = 0;
  int64_t most_ = 0;
  int64_t first_ = 0;
  int64_t end_ = 0;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
