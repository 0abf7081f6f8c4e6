// SPDX-License-Identifier: Apache-2.0
// What a kernel reports that met an index outside the volume it points into.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "operator/views.h"

namespace aclhost {

// The first index that names no place.
struct BadIndex {
  int64_t position = -1;  // -1: there is none
  int64_t value = 0;
};

// The first of those that several threads found.
class FirstBadIndex {
 public:
  void add(const BadIndex& bad) {
    if (bad.position < 0) return;
    std::lock_guard<std::mutex> lock(mutex_);
    if (first_.position < 0 || bad.position < first_.position) first_ = bad;
  }
  const BadIndex& get() const { return first_; }

 private:
  std::mutex mutex_;
  BadIndex first_;
};

// `position` counts the elements of `indices` in row-major order; values from 0 to limit - 1 are
// allowed. The launch fails the way a device exception does; the other elements stay computed.
Status index_out_of_range(const char* op, const TensorView& indices, int64_t position,
                          int64_t value, int64_t limit);

// The same for classes, in a parameter of that name.
Status class_out_of_range(const char* op, const char* parameter, const TensorView& classes,
                          const BadIndex& bad, int64_t limit);

// The same for places of a result, in a parameter of that name.
Status place_out_of_range(const char* op, const char* parameter, const TensorView& places,
                          const BadIndex& bad, int64_t limit);

// The same for numbers of times that something is to be repeated.
Status repeats_out_of_range(const char* op, const TensorView& repeats, const BadIndex& bad,
                            int64_t limit);

// The same for indices along an axis, in a parameter of that name; from -limit on where negative
// ones count from the end.
Status axis_index_out_of_range(const char* op, const char* parameter, const TensorView& indices,
                               const BadIndex& bad, int64_t limit, bool wraps);

// Masks select something else than there is room for, or values for.
Status wrong_selection(const char* op, const char* parameter, const TensorView& view,
                       const Shape& selected);

}  // namespace aclhost
