// SPDX-License-Identifier: Apache-2.0
// Rows in order, or a part of that. Equal elements keep their order; NaN is larger than every
// number, and zeros of both signs are equal unless it is said that they differ.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "base/status.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where the wanted part of a sorted row begins.
enum class PartStart {
  kGiven,
  kMedian,           // the lower one of the middle; the first NaN where there is one
  kMedianOfNumbers,  // as if there were no NaN among numbers
};

struct SortedPart {
  aclDataType dtype;
  int64_t length;  // of a row
  bool descending = false;
  PartStart start = PartStart::kGiven;
  int64_t first = 0;
  int64_t count = 1;
  bool zeros_differ = false;  // -0 comes before 0
};

// Of dense rows. `values` and `indices` take `count` elements per row and share no memory with the
// rows; either may be null.
Status sort_rows(const SortedPart& part, int64_t rows, const char* data, char* values,
                 int64_t* indices);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
