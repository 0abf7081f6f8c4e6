// SPDX-License-Identifier: Apache-2.0
// What `aclhost compare` counts about two arrays. src/aclhost/compare has the meaning of it all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acl/acl_base.h"

namespace aclhost {

// Contiguous elements, aligned anyhow, of BOOL, an integer or a floating type of 16 bits and more.
struct ComparedSide {
  const char* elements;
  aclDataType dtype;
  // Where the caller has rounded the elements to the dtype whose ulps count: their bit patterns.
  const char* rounded = nullptr;
};

// Where the largest errors are drawn: a matrix of `rows` x `columns` elements in fewer cells.
struct ErrorMap {
  int64_t rows, columns;
  int64_t height, width;
  double* cells;  // only ever raised; infinity for NaN and infinities
};

struct ComparisonRule {
  double rtol, atol;
  // Whose ulps count. Of an integer type, and where there are no patterns of another, an ulp is 1.
  aclDataType ulps_of;
  size_t rounded_size;  // bytes of a pattern, if the sides bring them
  int64_t worst;        // how many elements to name
};

struct ComparedElement {
  double score;  // the order of the worst: the error in units of what is allowed
  int64_t position;
  double actual, expected, absolute, relative, ulps;
};

constexpr int kUlpRanges = 9;
constexpr int kLowestDecade = -16, kHighestDecade = 16;

struct Compared {
  int64_t equal = 0, finite = 0, nonzero = 0;
  int64_t nan_mismatches = 0, inf_mismatches = 0, outliers = 0;
  double max_absolute = 0, sum_absolute = 0;
  double max_relative = 0, sum_relative = 0;
  double max_ulp = 0;
  double dot = 0, actual_square = 0, expected_square = 0;
  int64_t ulps[kUlpRanges] = {};
  int64_t decades[kHighestDecade - kLowestDecade + 1] = {};
  std::vector<ComparedElement> worst;  // worst first
};

// Elements `start` and following of two results; the sides begin with that one. Their number does
// not change what comes out, nor does that of the threads. compare_arrays, compiled for each
// instruction set, is such a function; native/binding/compare.cc picks the version.
using CompareArrays = Compared(const ComparedSide& actual, const ComparedSide& expected,
                               int64_t start, int64_t count, const ComparisonRule& rule,
                               const ErrorMap& map);

}  // namespace aclhost
