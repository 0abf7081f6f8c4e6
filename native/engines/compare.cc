// SPDX-License-Identifier: Apache-2.0
// In tiles that stay in the first cache: both sides become doubles, then each loop measures one
// thing. Chunks of tiles are what threads share; their sums are added in order at the end.
#include "engines/compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>

#include "base/parallel.h"
#include "engines/cast.h"
#include "engines/compare_map.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kTile = 512;
constexpr int64_t kChunk = 128 * kTile;
constexpr int kLanes = 8;  // sums that run side by side, or no loop would become vectors
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What is known of each element of a tile; unused elements at its end are zeros on both sides.
struct Tile {
  int64_t count;
  alignas(64) double actual[kTile], expected[kTile];
  alignas(64) double equal[kTile];  // 1 or 0
  alignas(64) double absolute[kTile], error[kTile], score[kTile], ulps[kTile];
};

bool is_integer(aclDataType dtype) {
  return dtype != ACL_FLOAT16 && dtype != ACL_BF16 && dtype != ACL_FLOAT && dtype != ACL_DOUBLE;
}

struct Sides {
  ComparedSide actual, expected;
  CastArray actual_to_double, expected_to_double;
  CastArray actual_to_ulps, expected_to_ulps;    // null: the bits are there, or do not count
  CastArray actual_to_int64, expected_to_int64;  // for integers that doubles cannot tell apart
  size_t actual_size, expected_size, rounded_size;
};

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

Sides prepare(const ComparedSide& actual, const ComparedSide& expected,
              const ComparisonRule& rule) {
  Sides sides = {};
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

// Zeros behind the end, so that loops over whole tiles count nothing there.
void read(const Sides& sides, int64_t at, Tile& tile) {
  const size_t rest = static_cast<size_t>(kTile - tile.count) * sizeof(double);
  sides.actual_to_double(sides.actual.elements + at * sides.actual_size,
                         reinterpret_cast<char*>(tile.actual), tile.count);
  sides.expected_to_double(sides.expected.elements + at * sides.expected_size,
                           reinterpret_cast<char*>(tile.expected), tile.count);
  std::memset(tile.actual + tile.count, 0, rest);
  std::memset(tile.expected + tile.count, 0, rest);
}

void find_equal(const Sides& sides, int64_t at, Tile& tile) {
  for (int64_t i = 0; i < kTile; ++i) {
    const double a = tile.actual[i], e = tile.expected[i];
    tile.equal[i] = (a == e) | ((a != a) & (e != e)) ? 1.0 : 0.0;
  }
  if (sides.actual_to_int64 == nullptr) return;
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

struct Lanes {
  double of[kLanes] = {};
  double sum() const {
    return ((of[0] + of[4]) + (of[1] + of[5])) + ((of[2] + of[6]) + (of[3] + of[7]));
  }
  double largest() const { return *std::max_element(of, of + kLanes); }
};

bool is_finite(double value) { return std::fabs(value) <= kLargest; }

// Where one side is NaN, or is infinite and the other not the same.
bool is_broken(double actual, double expected, double equal) {
  return (!is_finite(actual) | !is_finite(expected)) & (equal == 0.0);
}

void measure(const ComparisonRule& rule, Tile& tile) {
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

void add_sums(const Tile& tile, Compared& sums) {
  Lanes absolute, relative, dot, actual_square, expected_square, most, most_relative;
  for (int64_t i = 0; i < kTile; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double a = tile.actual[i + lane], e = tile.expected[i + lane];
      const bool finite = is_finite(a) & is_finite(e);
      const double error = tile.absolute[i + lane];
      const double share = finite & (e != 0) ? error / std::fabs(e) : 0.0;
      const double actual = finite ? a : 0.0, expected = finite ? e : 0.0;
      absolute.of[lane] += error;
      relative.of[lane] += share;
      dot.of[lane] += actual * expected;
      actual_square.of[lane] += actual * actual;
      expected_square.of[lane] += expected * expected;
      most.of[lane] = error > most.of[lane] ? error : most.of[lane];
      most_relative.of[lane] = share > most_relative.of[lane] ? share : most_relative.of[lane];
    }
  }
  sums.sum_absolute += absolute.sum();
  sums.sum_relative += relative.sum();
  sums.dot += dot.sum();
  sums.actual_square += actual_square.sum();
  sums.expected_square += expected_square.sum();
  sums.max_absolute = std::max(sums.max_absolute, most.largest());
  sums.max_relative = std::max(sums.max_relative, most_relative.largest());
}

void add_counts(const ComparisonRule& rule, const Tile& tile, Compared& sums) {
  double equal = 0, finite = 0, nonzero = 0, nans = 0, infinities = 0, outliers = 0;
  Lanes lanes[6];
  for (int64_t i = 0; i < kTile; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double a = tile.actual[i + lane], e = tile.expected[i + lane];
      const bool both = is_finite(a) & is_finite(e);
      const bool broken = is_broken(a, e, tile.equal[i + lane]);
      const bool nan = (a != a) != (e != e);
      const double allowed = rule.atol + rule.rtol * std::fabs(e);
      const bool beyond = broken | (both & (tile.absolute[i + lane] > allowed));
      lanes[0].of[lane] += tile.equal[i + lane];
      lanes[1].of[lane] += both ? 1.0 : 0.0;
      lanes[2].of[lane] += both & (e != 0) ? 1.0 : 0.0;
      lanes[3].of[lane] += nan ? 1.0 : 0.0;
      lanes[4].of[lane] += broken & !nan ? 1.0 : 0.0;
      lanes[5].of[lane] += beyond ? 1.0 : 0.0;
    }
  }
  double* const totals[] = {&equal, &finite, &nonzero, &nans, &infinities, &outliers};
  for (int i = 0; i < 6; ++i) *totals[i] = lanes[i].sum();
  const int64_t unused = kTile - tile.count;  // zeros: equal and finite
  sums.equal += static_cast<int64_t>(equal) - unused;
  sums.finite += static_cast<int64_t>(finite) - unused;
  sums.nonzero += static_cast<int64_t>(nonzero);
  sums.nan_mismatches += static_cast<int64_t>(nans);
  sums.inf_mismatches += static_cast<int64_t>(infinities);
  sums.outliers += static_cast<int64_t>(outliers);
}

// In magnitude order, floats of one sign are integers; the other sign counts through zero.
template <typename Word>
void count_between(const char* first, const char* second, Tile& tile) {
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

void find_ulps(const Sides& sides, int64_t at, Tile& tile) {
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

void add_ulps(const Tile& tile, Compared& sums) {
  static constexpr double kEdges[] = {0, 1, 2, 4, 16, 64, 256, 1024};
  for (int64_t i = 0; i < tile.count; ++i) {
    const double ulps = tile.ulps[i];
    if (!(is_finite(tile.actual[i]) & is_finite(tile.expected[i]))) continue;
    int range = 0;
    for (const double edge : kEdges) range += ulps > edge;
    ++sums.ulps[range];
    if (ulps > sums.max_ulp) sums.max_ulp = ulps;
  }
}

// The power of ten below; log10 takes longer and rounds.
int decade_of(double error) {
  static constexpr double kPowers[] = {1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8,
                                       1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1, 1e0,
                                       1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,  1e8,
                                       1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15, 1e16};
  const double* const above = std::upper_bound(std::begin(kPowers), std::end(kPowers), error);
  return kLowestDecade + static_cast<int>(above - kPowers);
}

void add_decades(const Tile& tile, Compared& sums) {
  for (int64_t i = 0; i < tile.count; ++i) {
    if (tile.absolute[i] > 0) ++sums.decades[decade_of(tile.absolute[i]) - kLowestDecade];
  }
}

// Whether one is worse: the higher score, or the earlier element.
bool is_worse(const ComparedElement& one, const ComparedElement& other) {
  return one.score != other.score ? one.score > other.score : one.position < other.position;
}

ComparedElement element(const Tile& tile, int64_t i, int64_t position) {
  const double a = tile.actual[i], e = tile.expected[i];
  if (is_broken(a, e, tile.equal[i])) {  // there is no distance between a number and a NaN
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {tile.score[i], position, a, e, none, none, none};
  }
  const double relative = e != 0 ? tile.absolute[i] / std::fabs(e) : 0.0;
  return {tile.score[i], position, a, e, tile.absolute[i], relative, tile.ulps[i]};
}

// A heap whose front is the least bad of those that are kept.
void keep_worst(const Tile& tile, int64_t position, size_t most, Compared& sums) {
  std::vector<ComparedElement>& kept = sums.worst;
  for (int64_t i = 0; i < tile.count; ++i) {
    if (!(tile.score[i] > 0)) continue;
    if (kept.size() == most) {
      if (most == 0 || tile.score[i] <= kept.front().score) continue;
      std::pop_heap(kept.begin(), kept.end(), is_worse);
      kept.pop_back();
    }
    kept.push_back(element(tile, i, position + i));
    std::push_heap(kept.begin(), kept.end(), is_worse);
  }
}

bool differs(const Tile& tile) {
  bool any = false;
  for (int64_t i = 0; i < kTile; ++i) any |= tile.error[i] != 0.0;
  return any;
}

void add(Compared& total, const Compared& part) {
  total.equal += part.equal;
  total.finite += part.finite;
  total.nonzero += part.nonzero;
  total.nan_mismatches += part.nan_mismatches;
  total.inf_mismatches += part.inf_mismatches;
  total.outliers += part.outliers;
  total.max_absolute = std::max(total.max_absolute, part.max_absolute);
  total.max_relative = std::max(total.max_relative, part.max_relative);
  total.max_ulp = std::max(total.max_ulp, part.max_ulp);
  total.sum_absolute += part.sum_absolute;
  total.sum_relative += part.sum_relative;
  total.dot += part.dot;
  total.actual_square += part.actual_square;
  total.expected_square += part.expected_square;
  for (int i = 0; i < kUlpRanges; ++i) total.ulps[i] += part.ulps[i];
  for (size_t i = 0; i < std::size(total.decades); ++i) total.decades[i] += part.decades[i];
  total.worst.insert(total.worst.end(), part.worst.begin(), part.worst.end());
}

Compared chunk(const Sides& sides, int64_t start, int64_t begin, int64_t end,
               const ComparisonRule& rule, MapPart& map) {
  Compared sums;
  Tile tile;
  for (int64_t at = begin; at < end; at += kTile) {
    tile.count = std::min(kTile, end - at);
    read(sides, at, tile);
    find_equal(sides, at, tile);
    measure(rule, tile);
    find_ulps(sides, at, tile);
    add_sums(tile, sums);
    add_counts(rule, tile, sums);
    add_ulps(tile, sums);
    if (!differs(tile)) continue;
    add_decades(tile, sums);
    keep_worst(tile, start + at, static_cast<size_t>(rule.worst), sums);
    map.raise(start + at, tile.count, tile.error);
  }
  return sums;
}

}  // namespace

Compared compare_arrays(const ComparedSide& actual, const ComparedSide& expected, int64_t start,
                        int64_t count, const ComparisonRule& rule, const ErrorMap& map) {
  const Sides sides = prepare(actual, expected, rule);
  std::vector<Compared> parts(static_cast<size_t>((count + kChunk - 1) / kChunk));
  std::mutex drawing;
  std::atomic<bool> out_of_memory{false};
  parallel_for(count, kChunk, [&](int64_t begin, int64_t end) {
    try {
      for (int64_t at = begin; at < end; at += kChunk) {
        const int64_t behind = std::min(at + kChunk, end);
        MapPart part(map, start + at, start + behind);
        parts[at / kChunk] = chunk(sides, start, at, behind, rule, part);
        const std::lock_guard<std::mutex> lock(drawing);
        part.draw();
      }
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) throw std::bad_alloc();
  Compared total;
  for (const Compared& part : parts) add(total, part);
  std::sort(total.worst.begin(), total.worst.end(), is_worse);
  if (total.worst.size() > static_cast<size_t>(rule.worst)) total.worst.resize(rule.worst);
  return total;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
