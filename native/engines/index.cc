// SPDX-License-Identifier: Apache-2.0
#include "engines/index.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/index_actions.h"
#include "engines/index_places.h"
#include "simd/cache.h"
#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kRowPiece = 1 << 14;  // elements of a row
constexpr int64_t kWorthThreads = 1 << 15;
constexpr int64_t kRowsAhead = 8;      // come where the result is larger than the cache,
constexpr int64_t kAheadBytes = 1024;  // with at most so many bytes

using Dimension = IndexedWalk::Dimension;

bool joins(const IndexedWalk& walk, const Dimension& slow, const Dimension& fast) {
  bool fits = slow.dense == fast.dense * fast.length && slow.table == fast.table * fast.length;
  for (int k = 0; k < walk.indices; ++k) {
    fits = fits && slow.index[k] == fast.index[k] * fast.length;
  }
  return fits;
}

// The places of one index tensor without gaps, where nothing is out of range; else false, and the
// places are not to be used. No branches: vectors. kShifts: strides are powers of 2 and 0.
template <typename Integer, bool kShifts>
bool find_good_places(const IndexedWalk::Index& index, const char* from, int64_t first,
                      int64_t table_step, int64_t count, int64_t* offsets) {
  const int64_t wrap = index.wrap;
  const auto stride = static_cast<uint64_t>(index.stride);
  const auto last = static_cast<uint64_t>(index.limit - 1);
  const int shift = kShifts ? __builtin_ctzll(stride) : 0;
  uint64_t bad = 0, place = static_cast<uint64_t>(first) * static_cast<uint64_t>(table_step);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t given = load<Integer>(from + i * int64_t{sizeof(Integer)});
    const auto value = static_cast<uint64_t>(given + (given >> 63 & wrap));
    bad |= value | (last - value);
    offsets[i] = static_cast<int64_t>(kShifts ? value << shift : place + value * stride);
    if constexpr (!kShifts) place += static_cast<uint64_t>(table_step);
  }
  return bad >> 63 == 0;
}

template <typename Integer>
bool find_good_places(const IndexedWalk::Index& index, const char* from, int64_t first,
                      int64_t table_step, int64_t count, int64_t* offsets) {
  const bool shifts =
      table_step == 0 && index.stride > 0 && (index.stride & (index.stride - 1)) == 0;
  const auto find = shifts ? find_good_places<Integer, true> : find_good_places<Integer, false>;
  return find(index, from, first, table_step, count, offsets);
}

// The dimensions of a walk in their roles: those outside, one whose places are found in chunks, and
// rows that have a place in common.
class Nest {
 public:
  // In order: positions go in row-major order, as several may be one element.
  Nest(const IndexedWalk& walk, bool past_cache, bool in_order)
      : walk_(walk), action_(gathering(walk.item_size, past_cache)), past_cache_(past_cache) {
    coalesce(walk_);
    row_ = {1, 0, 0, {}};
    run_ = row_;
    if (walk_.rank > 0 && !is_indexed(walk_, last())) row_ = take_last();
    if (walk_.rank > 0) run_ = take_last();
    for (int i = 0; i < walk_.rank; ++i) outer_ *= walk_.dimension[i].length;
    chunk_ = std::min(kChunk, run_.length);
    run_pieces_ = (run_.length + chunk_ - 1) / chunk_;
    const int64_t piece = lies_across(walk_, run_, row_) ? kAcrossTile : kRowPiece;
    row_piece_ = in_order ? row_.length : piece;
    row_pieces_ = (row_.length + row_piece_ - 1) / row_piece_;
    find_once();
  }

  int64_t pieces() const { return outer_ * run_pieces_ * row_pieces_; }
  int64_t elements_of_piece() const { return chunk_ * std::min(row_.length, row_piece_); }

  // False if an index was out of range.
  bool run(int64_t first, int64_t last) const {
    bool good = true;
    const int64_t inner = run_pieces_ * row_pieces_;
    for (int64_t piece = first; piece < last;) {
      const int64_t outer = piece / inner, end = std::min((outer + 1) * inner, last);
      good = run_inside(outer, piece - outer * inner, end - outer * inner) && good;
      piece = end;
    }
    return good;
  }

 private:
  const Dimension& last() const { return walk_.dimension[walk_.rank - 1]; }
  Dimension take_last() { return walk_.dimension[--walk_.rank]; }

  // Where all runs have the same places, they need not be found for each.
  void find_once() {
    constexpr int64_t kMost = 1 << 16;
    bool same = outer_ > 1 && row_.length == 1 && run_.length <= kMost;
    for (int i = 0; i < walk_.rank; ++i) same = same && !is_indexed(walk_, walk_.dimension[i]);
    if (!same) return;
    offsets_.reset(new (std::nothrow) int64_t[run_.length]);
    if (offsets_ != nullptr && !find_good(place_at(walk_, 0), 0, run_.length, offsets_.get()))
      offsets_.reset();
  }

  bool run_inside(int64_t outer, int64_t first, int64_t last) const {
    const WalkedPlace here = place_at(walk_, outer);
    if (offsets_ != nullptr) {
      const int64_t begin = first * chunk_, end = std::min(last * chunk_, run_.length);
      action_.elements(here.dense + begin * run_.dense, run_.dense, here.table,
                       offsets_.get() + begin, end - begin);
      return true;
    }
    Places places;
    bool good = true;
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t chunk = piece / row_pieces_ * chunk_;
      const int64_t count = std::min(chunk_, run_.length - chunk);
      if (piece == first || piece % row_pieces_ == 0) find(here, chunk, count, places);
      good = good && places.all_good;
      const int64_t begin = piece % row_pieces_ * row_piece_;
      act(here.dense + chunk * run_.dense + begin * row_.dense, here.table + begin * row_.table,
          places, count, std::min(row_piece_, row_.length - begin));
    }
    return good;
  }

  void find(const WalkedPlace& here, int64_t first, int64_t count, Places& places) const {
    places.all_good = places.all_used = true;
    if (find_good(here, first, count, places.offsets)) return;
    const Owned all = {0, walk_.index[0].limit};
    find_places(walk_, run_, here, all, first, count, places);
  }

  bool find_good(const WalkedPlace& here, int64_t first, int64_t count, int64_t* offsets) const {
    const IndexedWalk::Index& index = walk_.index[0];
    if (walk_.indices != 1 || run_.index[0] != index.item_size) return false;
    const auto good = index.item_size == 4 ? find_good_places<int32_t> : find_good_places<int64_t>;
    const char* const from = here.index[0] + first * index.item_size;
    return good(index, from, first, run_.table, count, offsets);
  }

  void act(char* dense, char* table, const Places& places, int64_t count, int64_t row) const {
    if (row_.length == 1 && places.all_good) {
      return action_.elements(dense, run_.dense, table, places.offsets, count);
    }
    for (int64_t i = 0; i < count; ++i) {
      char* const here = dense + i * run_.dense;
      if (past_cache_ && places.all_good && i + kRowsAhead < count) {
        const char* const later = table + places.offsets[i + kRowsAhead];
        prefetch_run(reinterpret_cast<uintptr_t>(later),
                     std::min(row * walk_.item_size, kAheadBytes));
      }
      if (places.all_good || places.used[i]) {
        action_.row(here, row_.dense, table + places.offsets[i], row_.table, row);
      } else {
        action_.missing(here, row_.dense, row);
      }
    }
  }

  IndexedWalk walk_;
  Action action_;
  bool past_cache_;
  Dimension run_, row_;
  int64_t outer_ = 1, chunk_, run_pieces_, row_piece_, row_pieces_;
  std::unique_ptr<int64_t[]> offsets_;  // of a run in the table; null where they are not known
};

int64_t bytes_of(const TensorView& view) { return data_type_bits(view.dtype) / 8; }

}  // namespace

IndexedWalk::IndexedWalk(const TensorView& dense_view, const TensorView& table_view)
    : item_size(bytes_of(table_view)) {
  dense = static_cast<char*>(dense_view.data) + dense_view.offset * item_size;
  table = static_cast<char*>(table_view.data) + table_view.offset * item_size;
}

void IndexedWalk::add_dimension(int64_t length, int64_t dense_stride, int64_t table_stride) {
  dimension[rank++] = {length, dense_stride * item_size, table_stride * item_size, {}};
}

void IndexedWalk::add_index(const TensorView& view, const TensorView& table_view, int axis,
                            bool wraps) {
  const int64_t size = bytes_of(view), limit = table_view.shape[axis];
  index[indices++] = {static_cast<const char*>(view.data) + view.offset * size, size, limit,
                      wraps ? limit : 0, table_view.strides[axis] * item_size};
}

bool IndexedWalk::empty() const {
  return std::any_of(dimension, dimension + rank, [](const Dimension& d) { return d.length == 0; });
}

void coalesce(IndexedWalk& walk) {
  int rank = 0;
  for (int i = 0; i < walk.rank; ++i) {
    const Dimension next = walk.dimension[i];
    if (next.length == 1) continue;
    if (rank > 0 && joins(walk, walk.dimension[rank - 1], next)) {
      const int64_t length = walk.dimension[rank - 1].length * next.length;
      walk.dimension[rank - 1] = next;
      walk.dimension[rank - 1].length = length;
    } else {
      walk.dimension[rank++] = next;
    }
  }
  walk.rank = rank;
}

int64_t positions(const IndexedWalk& walk) {
  int64_t count = 1;
  for (int i = 0; i < walk.rank; ++i) count *= walk.dimension[i].length;
  return count;
}

bool lies_across(const IndexedWalk& walk, const Dimension& run, const Dimension& row) {
  return std::abs(row.dense) > std::abs(run.dense) ||
         std::abs(row.table) > std::abs(walk.index[0].stride);
}

bool is_indexed(const IndexedWalk& walk, const Dimension& dimension) {
  for (int k = 0; k < walk.indices; ++k) {
    if (dimension.index[k] != 0) return true;
  }
  return false;
}

WalkedPlace place_at(const IndexedWalk& walk, int64_t position) {
  WalkedPlace place = {walk.dense, walk.table, {}};
  for (int k = 0; k < walk.indices; ++k) place.index[k] = walk.index[k].start;
  for (int i = walk.rank - 1; i >= 0; --i) {
    const Dimension& dimension = walk.dimension[i];
    const int64_t here = i == 0 ? position : position % dimension.length;
    position /= dimension.length;
    place.dense += here * dimension.dense;
    place.table += here * dimension.table;
    for (int k = 0; k < walk.indices; ++k) place.index[k] += here * dimension.index[k];
  }
  return place;
}

TensorView with_dimension(const TensorView& view) {
  TensorView result = view;
  if (result.rank > 0) return result;
  result.rank = 1;
  result.shape[0] = 1;
  result.strides[0] = 1;
  return result;
}

IndexedWalk walk_along(const TensorView& dense, const TensorView& table, int axis,
                       const TensorView& index, bool wraps) {
  IndexedWalk walk(dense, table);
  walk.add_index(index, table, axis, wraps);
  int own = 0;  // dimension of the dense tensor
  for (int i = 0; i < axis; ++i, ++own) {
    walk.add_dimension(table.shape[i], dense.strides[own], table.strides[i]);
  }
  for (int i = 0; i < index.rank; ++i, ++own) {
    walk.add_dimension(index.shape[i], dense.strides[own], 0);
    walk.dimension[own].index[0] = index.strides[i] * walk.index[0].item_size;
  }
  for (int i = axis + 1; i < table.rank; ++i, ++own) {
    walk.add_dimension(table.shape[i], dense.strides[own], table.strides[i]);
  }
  return walk;
}

IndexedWalk walk_each(const TensorView& dense, const TensorView& table, int axis,
                      const TensorView& index, bool wraps) {
  IndexedWalk walk(dense, table);
  walk.add_index(index, table, axis, wraps);
  for (int i = 0; i < index.rank; ++i) {
    walk.add_dimension(index.shape[i], dense.strides[i], i == axis ? 0 : table.strides[i]);
    walk.dimension[i].index[0] = index.strides[i] * walk.index[0].item_size;
  }
  return walk;
}

bool gather_indexed(IndexedWalk walk, bool in_order) {
  if (walk.empty()) return true;
  const bool past_cache = positions(walk) > cache_bytes() / walk.item_size;
  const Nest nest(walk, past_cache, in_order);
  const int64_t total = nest.pieces();
  const int64_t grain = std::max<int64_t>(kWorthThreads / 2 / nest.elements_of_piece(), 1);
  std::atomic<bool> good{true};
  parallel_for(total, in_order ? total : grain, [&](int64_t first, int64_t last) {
    if (!nest.run(first, last)) good = false;
    if (past_cache) finish_streaming();
  });
  return good;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
