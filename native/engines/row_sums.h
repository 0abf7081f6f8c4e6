// SPDX-License-Identifier: Apache-2.0
// Sums of elements in a fixed order, for a piece of a row at a time: those of 16 bits in float, the
// others in their own type, with one rounding when they are stored.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "engines/cast.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class RowSums {
 public:
  static constexpr int64_t kLength = 1024;  // elements

  // FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or COMPLEX128.
  explicit RowSums(aclDataType dtype);

  void clear(int64_t n);

  // Elements with a stride in bytes are added to the sums from `place` on, `step` sums apart. With
  // step 0 all of them go to one sum, one after the other.
  void add(const char* from, int64_t stride, int64_t n, int64_t place, int64_t step);

  // The first n sums as elements with a stride in bytes.
  void store(char* to, int64_t stride, int64_t n) const;

 private:
  static constexpr int64_t kLargest = 16;  // bytes of an element

  void add_converted(const char* from, int64_t stride, int64_t n, int64_t place, int64_t step);
  void add_array(const char* values, int64_t n, int64_t place, int64_t step);

  int64_t item_size_;  // of an element
  int64_t sum_size_;   // of a sum
  int parts_;          // 2 for complex numbers
  bool is_double_;     // the type of a part
  CastArray widen_;    // null: sums are of the elements' type
  CastArray narrow_;
  alignas(64) char sums_[kLength * kLargest];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
