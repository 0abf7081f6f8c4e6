// SPDX-License-Identifier: Apache-2.0
#include "engines/scatter.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/parallel.h"
#include "engines/index_places.h"
#include "engines/scatter_actions.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kFewPlaces = 1 << 10;     // each chunk of them goes over the whole table
constexpr int64_t kWorthThreads = 1 << 15;  // that share a dimension
constexpr int64_t kWorthOwners = 1 << 18;   // that share the values of an index
constexpr int64_t kWideRow = 4096;          // bytes from which threads share a row
constexpr int64_t kRowPart = 16;            // elements: threads should not write to the same line
constexpr int64_t kNear = 1 << 20;          // bytes of a table that need not be asked for early

using Dimension = IndexedWalk::Dimension;

// Elements that are written, as offsets from and to.
struct Moves {
  int64_t from[kChunk], to[kChunk];
  int64_t count;
  bool all_good;  // no index was out of range
};

// Those whose value of an index is owned, at the places that other indices give. Whose a random
// value is cannot be foreseen: no branches. False where one is out of range.
template <typename Integer>
bool keep_owned(const IndexedWalk::Index& index, const Owned& owned, const char* from, int64_t step,
                int64_t count, const int64_t* others, Moves& moves) {
  const int64_t wrap = index.wrap;
  const auto stride = static_cast<uint64_t>(index.stride);
  const auto first = static_cast<uint64_t>(owned.first), last = static_cast<uint64_t>(owned.last);
  const auto greatest = static_cast<uint64_t>(index.limit - 1);
  uint64_t bad = 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t given = load<Integer>(from + i * step);
    const auto value = static_cast<uint64_t>(given + (given >> 63 & wrap));
    bad |= value | (greatest - value);
    moves.from[kept] = i;
    moves.to[kept] = static_cast<int64_t>(static_cast<uint64_t>(others[i]) + value * stride);
    kept += value - first < last - first;
  }
  moves.count = kept;
  return bad >> 63 == 0;
}

// Single elements at two indices of one type are moved so fast that a thread that also had to pass
// over those of others would take as long.
bool goes_in_pairs(const IndexedWalk& walk, const ScatterAction& action) {
  return walk.indices == 2 && walk.index[0].item_size == walk.index[1].item_size &&
         action.pairs[0] != nullptr && walk.rank > 0 &&
         is_indexed(walk, walk.dimension[walk.rank - 1]);
}

// The dimensions of a walk in their roles: those outside, one whose places are found in chunks, and
// rows that have a place in common.
class Writer {
 public:
  Writer(const IndexedWalk& walk, bool in_order, const ScatterAction& action)
      : walk_(walk), action_(action), in_pairs_(goes_in_pairs(walk, action)) {
    row_ = {1, 0, 0, {}};
    run_ = row_;
    if (walk_.rank > 0 && !is_indexed(walk_, walk_.dimension[walk_.rank - 1])) row_ = take_last();
    if (walk_.rank > 0) run_ = take_last();
    piece_ =
        lies_across(walk_, run_, row_) && !in_order && row_.table != 0 ? kAcrossTile : row_.length;
    for (int k = 0; k < walk_.indices; ++k) {
      is_far_ = is_far_ || std::abs(walk_.index[k].stride) * walk_.index[k].limit > kNear;
    }
  }

  // False if an index was out of range.
  bool run(const Owned& owned) const {
    const int64_t outer = positions(walk_);
    if (outer > 1 && run_.length <= kFewPlaces && keeps_places()) return run_together(outer, owned);
    bool good = true;
    for (int64_t i = 0; i < outer; ++i) good = run_at(place_at(walk_, i), owned) && good;
    return good;
  }

 private:
  Dimension take_last() { return walk_.dimension[--walk_.rank]; }

  // Whether all outer positions have the same indices and, apart from them, different places.
  bool keeps_places() const {
    bool keeps = true;
    for (int i = 0; i < walk_.rank; ++i) {
      const Dimension& dimension = walk_.dimension[i];
      keeps = keeps && dimension.table != 0 && !is_indexed(walk_, dimension);
    }
    return keeps;
  }

  bool run_together(int64_t outer, const Owned& owned) const {
    const WalkedPlace start = place_at(walk_, 0);
    Moves moves;
    bool good = true;
    for (int64_t first = 0; first < run_.length; first += kChunk) {
      find(start, owned, first, moves);
      good = good && moves.all_good;
      for (int64_t i = 0; i < outer; ++i) {
        const WalkedPlace here = place_at(walk_, i);
        expect(here, moves);
        write(here, moves);
      }
    }
    return good;
  }

  bool run_at(const WalkedPlace& here, const Owned& owned) const {
    const IndexedWalk::Index& index = walk_.index[0];
    if (row_.length == 1 && owned.last - owned.first == index.limit) {
      const IndexRun run = {&index, here.index[0], run_.index[0], is_far_};
      const int kind = index.item_size == 8;
      if (walk_.indices == 1) {
        return action_.direct[kind](here.dense, run_.dense, here.table, run_.table, run,
                                    run_.length);
      }
      if (in_pairs_) {
        const IndexRun second = {&walk_.index[1], here.index[1], run_.index[1], is_far_};
        return action_.pairs[kind](here.dense, run_.dense, here.table, run_.table, run, second,
                                   run_.length);
      }
    }
    // Places far apart arrive while the next ones are found.
    Moves chunks[2];
    Moves *found = &chunks[0], *expected = &chunks[1];
    expected->count = 0;
    bool good = true;
    for (int64_t first = 0; first < run_.length; first += kChunk) {
      find(here, owned, first, *found);
      good = good && found->all_good;
      expect(here, *found);
      write(here, *expected);
      std::swap(found, expected);
    }
    write(here, *expected);
    return good;
  }

  void find(const WalkedPlace& here, const Owned& owned, int64_t first, Moves& moves) const {
    const int64_t count = std::min(kChunk, run_.length - first);
    Places places;
    find_places(walk_, run_, here, owned, first, count, places, 1);
    if (places.all_good && find_owned(here, owned, first, count, places.offsets, moves)) return;
    find_places(walk_, run_, here, owned, first, count, places);
    moves.all_good = places.all_good;
    moves.count = 0;
    for (int64_t i = 0; i < count; ++i) {
      moves.from[moves.count] = (first + i) * run_.dense;
      moves.to[moves.count] = places.offsets[i];
      moves.count += places.all_used || places.used[i];
    }
  }

  bool find_owned(const WalkedPlace& here, const Owned& owned, int64_t first, int64_t count,
                  const int64_t* others, Moves& moves) const {
    const IndexedWalk::Index& index = walk_.index[0];
    const int64_t step = run_.index[0];
    const auto keep = index.item_size == 4 ? keep_owned<int32_t> : keep_owned<int64_t>;
    moves.all_good = keep(index, owned, here.index[0] + first * step, step, count, others, moves);
    for (int64_t i = 0; i < moves.count; ++i) {
      moves.from[i] = (first + moves.from[i]) * run_.dense;
    }
    return moves.all_good;
  }

  // Asks for single elements early.
  void expect(const WalkedPlace& here, const Moves& moves) const {
    if (!is_far_ || row_.length != 1) return;
    for (int64_t i = 0; i < moves.count; ++i) prefetch_place(here.table + moves.to[i]);
  }

  void write(const WalkedPlace& here, const Moves& moves) const {
    if (row_.length == 1) {
      action_.elements(here.dense, moves.from, here.table, moves.to, moves.count);
      return;
    }
    for (int64_t begin = 0; begin < row_.length; begin += piece_) {
      write_rows(here.dense + begin * row_.dense, here.table + begin * row_.table, moves,
                 std::min(piece_, row_.length - begin));
    }
  }

  void write_rows(const char* dense, char* table, const Moves& moves, int64_t length) const {
    for (int64_t i = 0; i < moves.count; ++i) {
      if (i + 1 < moves.count) prefetch_place(table + moves.to[i + 1]);
      action_.row(dense + moves.from[i], row_.dense, table + moves.to[i], row_.table, length);
    }
  }

  static void prefetch_place(const char* place) { __builtin_prefetch(place, 1); }

  IndexedWalk walk_;
  ScatterAction action_;
  bool in_pairs_;
  Dimension run_, row_;
  int64_t piece_;  // of rows, so that what lies beside it is still in a cache for the next ones
  bool is_far_ = false;
};

// Makes the last dimension the first where the indexed one before it is closer together, in both
// tensors. Places differ along it, so those that several elements share still get them in order.
void put_far_rows_outside(IndexedWalk& walk) {
  if (walk.rank < 2 || walk.indices != 1) return;
  const Dimension row = walk.dimension[walk.rank - 1], run = walk.dimension[walk.rank - 2];
  const bool is_far = std::abs(row.table) > std::abs(walk.index[0].stride) &&
                      std::abs(row.dense) >= std::abs(run.dense);
  if (!is_far || is_indexed(walk, row) || !is_indexed(walk, run)) return;
  std::rotate(walk.dimension, walk.dimension + walk.rank - 1, walk.dimension + walk.rank);
}

// A dimension along which places differ whatever the indices, long enough for threads to share;
// -1 where there is none. Of the fastest one, threads would write to the same lines.
int shared_dimension(const IndexedWalk& walk, int parts) {
  for (int i = 0; i < walk.rank; ++i) {
    const Dimension& dimension = walk.dimension[i];
    const bool is_last = i == walk.rank - 1;
    const bool is_long =
        is_last ? dimension.length * walk.item_size >= kWideRow * parts : dimension.length >= parts;
    if (dimension.table != 0 && is_long) return i;
  }
  return -1;
}

// One of several parts of a walk along a dimension.
IndexedWalk part_of(IndexedWalk walk, int shared, int64_t part, int64_t parts) {
  Dimension& dimension = walk.dimension[shared];
  const int64_t length = dimension.length, unit = shared == walk.rank - 1 ? kRowPart : 1;
  const auto bound = [&](int64_t i) {
    return i == parts ? length : length * i / parts / unit * unit;
  };
  const int64_t begin = bound(part);
  dimension.length = bound(part + 1) - begin;
  walk.dense += begin * dimension.dense;
  walk.table += begin * dimension.table;
  for (int k = 0; k < walk.indices; ++k) walk.index[k].start += begin * dimension.index[k];
  return walk;
}

}  // namespace

bool can_combine(aclDataType dtype, Combine how) {
  return scattering(dtype, how).elements != nullptr;
}

bool scatter_indexed(IndexedWalk walk, bool in_order, aclDataType dtype, Combine how) {
  if (walk.empty()) return true;
  coalesce(walk);
  if (!in_order) put_far_rows_outside(walk);
  const ScatterAction action = scattering(dtype, how);
  const int64_t count = positions(walk);
  int parts = in_order || count < kWorthThreads ? 1 : thread_count();
  const int shared = shared_dimension(walk, parts);
  if (shared < 0 && (count < kWorthOwners || goes_in_pairs(walk, action))) parts = 1;
  const int64_t limit = walk.index[0].limit;
  std::atomic<bool> good{true};
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Owned owned =
          shared >= 0 ? Owned{0, limit} : Owned{limit * i / parts, limit * (i + 1) / parts};
      const IndexedWalk part = shared >= 0 ? part_of(walk, shared, i, parts) : walk;
      if (!Writer(part, in_order, action).run(owned)) good = false;
    }
  });
  return good;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
