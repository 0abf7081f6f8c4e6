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

// Columns of values: rows of them begin `step` bytes after each other. Less than kLeastColumns are
// packed: a row ends where the next one begins.
struct ColumnValues {
  const char* first;
  int64_t step;
  int64_t rows;
  int64_t columns;  // at most kMostColumns
};

using ReduceArray = void (*)(const char* values, int64_t n, char* state);

// Values are arrays of a loop's type. `position` counts the values of a result: of the first value
// in reduce(), of the first row in add(). Rows hold one value for each of the n states; there are
// kRowsAtOnce of them but at the end.
struct Reducer {
  static constexpr int kRowsAtOnce = 8;
  static constexpr int kLeastColumns = 32;
  static constexpr int kMostColumns = 128;
  static constexpr int64_t kMostInColumns = 4096;
  static constexpr int64_t kLeastShort = 16, kMostShort = 127;

  int64_t size;  // bytes of a state
  Field fields[2];
  bool has_places;     // a state depends on positions
  bool in_any_order;   // values may come so: results are the same
  int64_t few_values;  // less than so many are not worth a reduce()
  // Fewer results than so many are made by reduce() or, if they are neighbours, by
  // reduce_columns(), which then takes fewer than kLeastColumns, too.
  int64_t few_results;
  void (*start)(char* states, int64_t n);
  void (*reduce)(const char* values, int64_t n, int64_t position, char* state);
  // The same of rows that follow each other, each of kLeastShort to kMostShort values; may be null.
  void (*reduce_short_rows)(const char* values, int64_t rows, int64_t n, char* states);
  // The same of FLOAT16 and of BF16 instead of floats, at most kMostInColumns of them, with the
  // same bits; null: they have to be widened.
  ReduceArray reduce_half;
  ReduceArray reduce_bfloat;
  // The same of some states whose values lie side by side, at most kMostInColumns values of each;
  // null: they have to be gathered.
  void (*reduce_columns)(const ColumnValues& values, char* states);
  // The same of FLOAT16 and of BF16 instead of floats; null: they have to be widened.
  void (*reduce_half_columns)(const ColumnValues& values, char* states);
  void (*reduce_bfloat_columns)(const ColumnValues& values, char* states);
  void (*add)(const char* const* rows, int64_t count, int64_t n, int64_t position, char* states);
  // The same of FLOAT16 instead of floats, with the same bits; null as above.
  void (*add_half)(const char* const* rows, int64_t count, int64_t n, int64_t position,
                   char* states);
  // The same without sums in float, for states, then DOUBLE, that are not finite; null: no need.
  void (*add_exactly)(const char* const* rows, int64_t count, int64_t n, int64_t position,
                      char* states);
  void (*join)(char* states, const char* others, int64_t n);
  // Makes what depends on the order the same at the end; null: nothing does.
  void (*settle)(char* states, int64_t n);
};

// Integers wrap, floats are added and multiplied in double (but see Note [Sums in float]). NaN wins
// against every number, with places the first of equal values against later ones; without, a zero
// has no sign in the end, and NaN no bits of its own.
enum class Reduce {
  kSum,
  kSumOfSquares,  // of floats
  kMoments,       // of floats: see MomentState
  kProduct,
  kMaximum,
  kMinimum,
  kRange,      // the smallest, then the largest
  kMaximumAt,  // the second field is its position
  kMinimumAt,
};

// Values by their differences from an origin: their sum, and the sum of their squares. The fields
// are the squares, then the origin.
struct MomentState {
  double count;
  double origin;
  double sum;
  double squares;

  // Makes the mean the origin.
  void center() {
    origin += sum / count;
    squares -= sum * (sum / count);
    sum = 0;
  }
};

// For values of a loop's type; null: none.
const Reducer* find_reducer(Reduce kind, aclDataType values);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
