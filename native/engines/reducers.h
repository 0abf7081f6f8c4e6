// SPDX-License-Identifier: Apache-2.0
// How values become one: a state, what adds a value to it, and how states are joined.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where a result stands in a state.
struct Field {
  aclDataType dtype;
  int64_t offset;  // bytes
};

// Values are arrays of a loop's type. `position` counts the values of a result: of the first value
// in reduce(), of the first row in add(), whose rows hold one value for each of the n states.
struct Reducer {
  int64_t size;  // bytes of a state
  Field fields[2];
  void (*start)(char* states, int64_t n);
  void (*reduce)(const char* values, int64_t n, int64_t position, char* state);
  void (*add)(const char* values, int64_t n, int64_t rows, int64_t position, char* states);
  void (*join)(char* states, const char* others, int64_t n);
};

// Integers wrap, floats are added and multiplied in double. NaN wins against every number, the
// first of equal values against later ones.
enum class Reduce {
  kSum,
  kProduct,
  kMaximum,
  kMinimum,
  kMaximumAt,  // the second field is its position
  kMinimumAt,
};

// For values of a loop's type; null: none.
const Reducer* find_reducer(Reduce kind, aclDataType values);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
