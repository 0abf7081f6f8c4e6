// SPDX-License-Identifier: Apache-2.0
// The last steps of every way to make a view.
#pragma once

#include <algorithm>
#include <cstdint>

#include "binding/raise.h"
#include "operator/views.h"

namespace aclhost::python {

inline void check_rank(int64_t rank, const char* parameter) {
  if (rank > kMaxRank) {
    raise(PyExc_ValueError, "%s: an array of %lld dimensions; at most %d are possible", parameter,
          static_cast<long long>(rank), kMaxRank);
  }
}

// NumPy and the buffer protocol count strides in bytes. Along a dimension of size 0 or 1 they may
// be anything, and mean nothing.
//
// Item sizes are powers of two, so that there is no division.
inline int64_t stride_in_elements(int64_t bytes, int64_t size, int64_t item_size,
                                  const char* parameter) {
  if (size > 1 && (bytes & (item_size - 1)) != 0) {
    raise(PyExc_ValueError,
          "%s: a stride of %lld bytes is no multiple of the item size %lld; pass a copy", parameter,
          static_cast<long long>(bytes), static_cast<long long>(item_size));
  }
  return bytes >> __builtin_ctzll(static_cast<unsigned long long>(item_size));
}

// What the dimensions of a view reach, in elements from its first one.
struct Reach {
  int64_t below = 0;
  int64_t above = 0;
  bool empty = false;

  void add(int64_t size, int64_t stride) {
    const int64_t last = (size - 1) * stride;
    below += std::min<int64_t>(last, 0);
    above += std::max<int64_t>(last, 0);
    empty |= size == 0;
  }
};

// Sets data, offset and storage_elements of a view that has a shape and strides.
inline void place_view(TensorView& view, const Reach& reach, void* first_element,
                       int64_t item_size) {
  const int64_t below = reach.empty ? 0 : reach.below;
  view.present = true;
  view.format = ACL_FORMAT_ND;
  view.data = static_cast<char*>(first_element) + below * item_size;
  view.offset = -below;
  view.storage_elements = reach.empty ? 0 : reach.above - below + 1;
}

}  // namespace aclhost::python
