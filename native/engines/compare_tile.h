// SPDX-License-Identifier: Apache-2.0
// What is measured of each element before it is counted and summed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engines/cast.h"
#include "engines/compare.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kTile = 512;
constexpr double kLargest = std::numeric_limits<double>::max();

// What is known of each element of a tile; unused elements at its end are zeros on both sides.
struct ComparedTile {
  int64_t count;
  alignas(64) double actual[kTile], expected[kTile];
  alignas(64) double equal[kTile];  // 1 or 0
  alignas(64) double absolute[kTile], error[kTile], score[kTile], ulps[kTile];
};

struct ComparedSides {
  ComparedSide actual, expected;
  CastArray actual_to_double, expected_to_double;
  CastArray actual_to_ulps, expected_to_ulps;    // null: the bits are there, or do not count
  CastArray actual_to_int64, expected_to_int64;  // for integers that doubles cannot tell apart
  size_t actual_size, expected_size, rounded_size;
};

ComparedSides prepare_sides(const ComparedSide& actual, const ComparedSide& expected,
                            const ComparisonRule& rule);

// Reads tile.count elements from one on; returns whether they are all equal. Then nothing else of
// the tile is worth measuring.
bool read_tile(const ComparedSides& sides, int64_t at, ComparedTile& tile);

// What else is known of the elements that were read.
void measure_tile(const ComparedSides& sides, int64_t at, const ComparisonRule& rule,
                  ComparedTile& tile);

inline bool is_finite(double value) { return std::fabs(value) <= kLargest; }

// Where one side is NaN, or is infinite and the other not the same.
inline bool is_broken(double actual, double expected, double equal) {
  return (!is_finite(actual) | !is_finite(expected)) & (equal == 0.0);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
