// SPDX-License-Identifier: Apache-2.0
// In tiles that stay in the first cache. Chunks of tiles are what threads share; their sums are
// added in order at the end.
#include "engines/compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>

#include "base/parallel.h"
#include "engines/compare_map.h"
#include "engines/compare_tile.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kChunk = 128 * kTile;
constexpr int kLanes = 8;  // sums that run side by side, or no loop would become vectors

struct Lanes {
  double of[kLanes] = {};
  double sum() const {
    return ((of[0] + of[4]) + (of[1] + of[5])) + ((of[2] + of[6]) + (of[3] + of[7]));
  }
  double largest() const { return *std::max_element(of, of + kLanes); }
};

void add_sums(const ComparedTile& tile, Compared& sums) {
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

// Returns how many elements have finite numbers on both sides.
int64_t add_counts(const ComparisonRule& rule, const ComparedTile& tile, Compared& sums) {
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
  const int64_t numbers = static_cast<int64_t>(finite) - unused;
  sums.finite += numbers;
  sums.nonzero += static_cast<int64_t>(nonzero);
  sums.nan_mismatches += static_cast<int64_t>(nans);
  sums.inf_mismatches += static_cast<int64_t>(infinities);
  sums.outliers += static_cast<int64_t>(outliers);
  return numbers;
}

// Of tiles without a difference, what is left to count and to sum.
void add_equal(const ComparedTile& tile, Compared& sums) {
  Lanes square, finite, nonzero;
  for (int64_t i = 0; i < kTile; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double a = tile.actual[i + lane];
      const bool number = is_finite(a);
      const double actual = number ? a : 0.0;
      square.of[lane] += actual * actual;
      finite.of[lane] += number ? 1.0 : 0.0;
      nonzero.of[lane] += number & (a != 0) ? 1.0 : 0.0;
    }
  }
  const int64_t numbers = static_cast<int64_t>(finite.sum()) - (kTile - tile.count);
  sums.equal += tile.count;
  sums.finite += numbers;
  sums.nonzero += static_cast<int64_t>(nonzero.sum());
  sums.ulps[0] += numbers;
  sums.dot += square.sum();
  sums.actual_square += square.sum();
  sums.expected_square += square.sum();
}

int64_t count_above(const ComparedTile& tile, double edge) {
  Lanes above;
  for (int64_t i = 0; i < kTile; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) above.of[lane] += tile.ulps[i + lane] > edge;
  }
  return static_cast<int64_t>(above.sum());
}

// What is not finite has 0 ulps in the tile, and is not among the numbers.
void add_ulps(const ComparedTile& tile, int64_t numbers, Compared& sums) {
  static constexpr double kEdges[] = {0, 1, 2, 4, 16, 64, 256, 1024};
  int64_t rest = numbers;
  int range = 0;
  for (const double edge : kEdges) {
    const int64_t above = rest == 0 ? 0 : count_above(tile, edge);
    sums.ulps[range++] += rest - above;
    rest = above;
  }
  sums.ulps[range] += rest;
  Lanes most;
  for (int64_t i = 0; i < kTile; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double ulps = tile.ulps[i + lane];
      most.of[lane] = ulps > most.of[lane] ? ulps : most.of[lane];
    }
  }
  sums.max_ulp = std::max(sums.max_ulp, most.largest());
}

// How many powers of ten, from 1e-15 to 1e16, are not above. The exponent of two tells it but for
// one; a search takes longer, and log10 rounds.
int powers_below(double error) {
  static constexpr double kPowers[] = {1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8,
                                       1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1, 1e0,
                                       1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,  1e8,
                                       1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15, 1e16};
  constexpr int kCount = std::size(kPowers);
  static_assert(kCount == kHighestDecade - kLowestDecade);
  uint64_t bits;
  std::memcpy(&bits, &error, sizeof bits);
  const int exponent = static_cast<int>(bits >> 52) - 1023;  // the error is positive
  const int tens = (exponent * 1233) >> 12;                  // 1233 / 4096 is log10(2)
  const int below = std::clamp(tens - kLowestDecade, 0, kCount);
  return below + (below < kCount && error >= kPowers[below]);
}

void add_decades(const ComparedTile& tile, Compared& sums) {
  for (int64_t i = 0; i < tile.count; ++i) {
    if (tile.absolute[i] > 0) ++sums.decades[powers_below(tile.absolute[i])];
  }
}

// Whether one is worse: the higher score, or the earlier element.
bool is_worse(const ComparedElement& one, const ComparedElement& other) {
  return one.score != other.score ? one.score > other.score : one.position < other.position;
}

ComparedElement element(const ComparedTile& tile, int64_t i, int64_t position) {
  const double a = tile.actual[i], e = tile.expected[i];
  if (is_broken(a, e, tile.equal[i])) {  // there is no distance between a number and a NaN
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {tile.score[i], position, a, e, none, none, none};
  }
  const double relative = e != 0 ? tile.absolute[i] / std::fabs(e) : 0.0;
  return {tile.score[i], position, a, e, tile.absolute[i], relative, tile.ulps[i]};
}

// A heap whose front is the least bad of those that are kept.
void keep_worst(const ComparedTile& tile, int64_t position, size_t most, Compared& sums) {
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

Compared chunk(const ComparedSides& sides, int64_t start, int64_t begin, int64_t end,
               const ComparisonRule& rule, MapPart& map) {
  Compared sums;
  ComparedTile tile;
  for (int64_t at = begin; at < end; at += kTile) {
    tile.count = std::min(kTile, end - at);
    if (read_tile(sides, at, tile)) {
      add_equal(tile, sums);
      continue;
    }
    measure_tile(sides, at, rule, tile);
    add_sums(tile, sums);
    add_ulps(tile, add_counts(rule, tile, sums), sums);
    add_decades(tile, sums);
    keep_worst(tile, start + at, static_cast<size_t>(rule.worst), sums);
    map.raise(start + at, tile.count, tile.error);
  }
  return sums;
}

}  // namespace

Compared compare_arrays(const ComparedSide& actual, const ComparedSide& expected, int64_t start,
                        int64_t count, const ComparisonRule& rule, const ErrorMap& map) {
  const ComparedSides sides = prepare_sides(actual, expected, rule);
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
