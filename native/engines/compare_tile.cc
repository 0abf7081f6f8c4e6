// SPDX-License-Identifier: Apache-2.0
// Both sides become doubles, then each loop measures one thing.
#include "engines/compare_tile.h"

#include <cstring>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_integer(aclDataType dtype) {
  return dtype != ACL_FLOAT16 && dtype != ACL_BF16 && dtype != ACL_FLOAT && dtype != ACL_DOUBLE;
}

size_t size_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
      return 1;
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_FLOAT16:
    case ACL_BF16:
      return 2;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
      return 8;
    default:
      return 4;
  }
}

// Zeros behind the end, so that loops over whole tiles count nothing there.
void read(const ComparedSides& sides, int64_t at, ComparedTile& tile) {
  const size_t rest = static_cast<size_t>(kTile - tile.count) * sizeof(double);
  sides.actual_to_double(sides.actual.elements + at * sides.actual_size,
                         reinterpret_cast<char*>(tile.actual), tile.count);
  sides.expected_to_double(sides.expected.elements + at * sides.expected_size,
                           reinterpret_cast<char*>(tile.expected), tile.count);
  std::memset(tile.actual + tile.count, 0, rest);
  std::memset(tile.expected + tile.count, 0, rest);
}

bool all_equal(const ComparedTile& tile) {
  bool differs = false;
  for (int64_t i = 0; i < kTile; ++i) differs |= tile.equal[i] == 0.0;
  return !differs;
}

void find_equal_integers(const ComparedSides& sides, int64_t at, ComparedTile& tile) {
  int64_t a[kTile], e[kTile];
  sides.actual_to_int64(sides.actual.elements + at * sides.actual_size, reinterpret_cast<char*>(a),
                        tile.count);
  sides.expected_to_int64(sides.expected.elements + at * sides.expected_size,
                          reinterpret_cast<char*>(e), tile.count);
  // A negative number and an unsigned one can share their bits.
  const bool one_sign = (sides.actual.dtype == ACL_UINT64) == (sides.expected.dtype == ACL_UINT64);
  for (int64_t i = 0; i < tile.count; ++i) {
    tile.equal[i] = a[i] == e[i] && (one_sign || a[i] >= 0) ? 1.0 : 0.0;
  }
}

// Returns whether all are.
bool find_equal(const ComparedSides& sides, int64_t at, ComparedTile& tile) {
  for (int64_t i = 0; i < kTile; ++i) {
    const double a = tile.actual[i], e = tile.expected[i];
    tile.equal[i] = (a == e) | ((a != a) & (e != e)) ? 1.0 : 0.0;
  }
  if (sides.actual_to_int64 != nullptr) find_equal_integers(sides, at, tile);
  return all_equal(tile);
}

void measure(const ComparisonRule& rule, ComparedTile& tile) {
  for (int64_t i = 0; i < kTile; ++i) {
    const double a = tile.actual[i], e = tile.expected[i];
    const bool finite = is_finite(a) & is_finite(e);
    double absolute = finite ? std::fabs(a - e) : 0.0;
    absolute = finite & (tile.equal[i] == 0.0) & (absolute == 0.0) ? 1.0 : absolute;
    const double allowed = rule.atol + rule.rtol * std::fabs(e);
    // Where nothing is allowed, the error itself orders, before all that is allowed something.
    double score = allowed > 0 ? absolute / allowed : absolute * 1e300;
    score = score == score ? score : 0.0;
    score = score > kLargest ? kLargest : score;
    const bool broken = is_broken(a, e, tile.equal[i]);
    tile.absolute[i] = absolute;
    tile.score[i] = broken ? kInfinity : score;
    tile.error[i] = broken ? kInfinity : absolute;
  }
}

// In magnitude order, floats of one sign are integers; the other sign counts through zero.
template <typename Word>
void count_between(const char* first, const char* second, ComparedTile& tile) {
  constexpr int kSign = 8 * sizeof(Word) - 1;
  constexpr Word kMagnitude = static_cast<Word>(~(Word{1} << kSign));
  for (int64_t i = 0; i < tile.count; ++i) {
    Word one, two;
    std::memcpy(&one, first + i * sizeof(Word), sizeof one);
    std::memcpy(&two, second + i * sizeof(Word), sizeof two);
    const Word a = one & kMagnitude, b = two & kMagnitude;
    const double apart = static_cast<double>(static_cast<Word>(a > b ? a - b : b - a));
    const double through_zero = static_cast<double>(a) + static_cast<double>(b);
    const bool finite = is_finite(tile.actual[i]) & is_finite(tile.expected[i]);
    const double distance = (one >> kSign) == (two >> kSign) ? apart : through_zero;
    tile.ulps[i] = finite ? distance : 0.0;
  }
}

const char* patterns(const ComparedSide& side, CastArray cast, size_t size, size_t rounded_size,
                     int64_t at, int64_t count, char* memory) {
  if (side.rounded != nullptr) return side.rounded + at * rounded_size;
  cast(side.elements + at * size, memory, count);
  return memory;
}

void find_ulps(const ComparedSides& sides, int64_t at, ComparedTile& tile) {
  std::memset(tile.ulps + tile.count, 0, static_cast<size_t>(kTile - tile.count) * sizeof(double));
  if (sides.rounded_size == 0) {
    std::memcpy(tile.ulps, tile.absolute, sizeof tile.ulps);
    // Of integers that doubles cannot tell apart.
    for (int64_t i = 0; i < tile.count; ++i) {
      if (tile.actual[i] == tile.expected[i]) tile.ulps[i] = 0.0;
    }
    return;
  }
  alignas(64) char memory[2][kTile * sizeof(double)];
  const char* const first = patterns(sides.actual, sides.actual_to_ulps, sides.actual_size,
                                     sides.rounded_size, at, tile.count, memory[0]);
  const char* const second = patterns(sides.expected, sides.expected_to_ulps, sides.expected_size,
                                      sides.rounded_size, at, tile.count, memory[1]);
  switch (sides.rounded_size) {
    case 1:
      return count_between<uint8_t>(first, second, tile);
    case 2:
      return count_between<uint16_t>(first, second, tile);
    case 4:
      return count_between<uint32_t>(first, second, tile);
    default:
      return count_between<uint64_t>(first, second, tile);
  }
}

}  // namespace

ComparedSides prepare_sides(const ComparedSide& actual, const ComparedSide& expected,
                            const ComparisonRule& rule) {
  ComparedSides sides = {};
  sides.actual = actual;
  sides.expected = expected;
  sides.actual_size = size_of(actual.dtype);
  sides.expected_size = size_of(expected.dtype);
  sides.actual_to_double = find_array_cast(actual.dtype, ACL_DOUBLE);
  sides.expected_to_double = find_array_cast(expected.dtype, ACL_DOUBLE);
  sides.rounded_size = rule.rounded_size;
  if (rule.rounded_size == 0 && !is_integer(rule.ulps_of)) {
    sides.rounded_size = size_of(rule.ulps_of);
    sides.actual_to_ulps = find_array_cast(actual.dtype, rule.ulps_of);
    sides.expected_to_ulps = find_array_cast(expected.dtype, rule.ulps_of);
  }
  const bool integers = is_integer(actual.dtype) && is_integer(expected.dtype);
  if (integers && (sides.actual_size == 8 || sides.expected_size == 8)) {
    sides.actual_to_int64 = find_array_cast(actual.dtype, ACL_INT64);
    sides.expected_to_int64 = find_array_cast(expected.dtype, ACL_INT64);
  }
  return sides;
}

bool read_tile(const ComparedSides& sides, int64_t at, ComparedTile& tile) {
  read(sides, at, tile);
  return find_equal(sides, at, tile);
}

void measure_tile(const ComparedSides& sides, int64_t at, const ComparisonRule& rule,
                  ComparedTile& tile) {
  measure(rule, tile);
  find_ulps(sides, at, tile);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
