// SPDX-License-Identifier: Apache-2.0
// Whole rows of integers, or BOOL, whose keys are close together: they are counted.
#pragma once

#include <cstdint>

#include "engines/sort_keys.h"
#include "engines/sort_row.h"
#include "engines/sort_words.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

using CountedPlaces = RadixPass<uint64_t>::Counts;
constexpr int kCountedBits = RadixPass<uint64_t>::kMostBits;  // that keys may be apart

struct CountedRow {
  const char* data;
  int64_t length;
  int chunks;
};

// `flip` is that of KeyType, all keys are in the bracket; `values` and `indices` may be null.
void sort_counted(const KeyType& type, uint64_t flip, const Bracket& bracket, const CountedRow& row,
                  CountedPlaces& places, char* values, int64_t* indices);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
