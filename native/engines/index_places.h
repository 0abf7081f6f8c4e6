// SPDX-License-Identifier: Apache-2.0
// Where positions of an indexed walk lie in the table, some at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/index.h"
#include "simd/isa.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kChunk = 256;  // places that are found at once

// Values of the first index whose places count; others are somebody else's.
struct Owned {
  int64_t first, last;
};

struct Places {
  int64_t offsets[kChunk];
  bool used[kChunk];  // in range, and owned
  bool all_good;      // in range
  bool all_used;
};

namespace index_detail {

// Where all values are owned: else false, and nothing is added. No branches. The highest bit tells
// whether a value is outside, whatever it is: one of both differences has it.
template <typename Integer>
bool add_owned_places(const IndexedWalk::Index& index, const Owned& owned, const char* from,
                      int64_t step, int64_t count, Places& places) {
  const int64_t wrap = index.wrap;
  const auto stride = static_cast<uint64_t>(index.stride);
  const auto first = static_cast<uint64_t>(owned.first);
  const uint64_t last = static_cast<uint64_t>(owned.last) - 1;
  int64_t sums[kChunk];
  uint64_t others = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t given = load<Integer>(from + i * step);
    const auto value = static_cast<uint64_t>(given + (given >> 63 & wrap));
    others |= (value - first) | (last - value);
    sums[i] = static_cast<int64_t>(static_cast<uint64_t>(places.offsets[i]) + value * stride);
  }
  if (others >> 63 != 0) return false;
  std::copy_n(sums, count, places.offsets);
  return true;
}

template <typename Integer>
void add_places(const IndexedWalk::Index& index, const Owned& owned, const char* from, int64_t step,
                int64_t count, Places& places) {
  if (add_owned_places<Integer>(index, owned, from, step, count, places)) return;
  bool all_good = true, all_used = true;
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = load<Integer>(from + i * step);
    value += value < 0 ? index.wrap : 0;
    const bool good = static_cast<uint64_t>(value) < static_cast<uint64_t>(index.limit);
    const bool used = value >= owned.first && value < owned.last;
    places.offsets[i] += (used ? value : 0) * index.stride;
    places.used[i] = places.used[i] && used;
    all_good = all_good && good;
    all_used = all_used && used;
  }
  places.all_good = places.all_good && all_good;
  places.all_used = places.all_used && all_used;
}

}  // namespace index_detail

// Of `count` positions along a dimension, at most kChunk, from `first` on. As the indices from
// `first_index` on say.
inline void find_places(const IndexedWalk& walk, const IndexedWalk::Dimension& run,
                        const WalkedPlace& here, const Owned& owned, int64_t first, int64_t count,
                        Places& places, int first_index = 0) {
  places.all_good = places.all_used = true;
  for (int64_t i = 0; i < count; ++i) {
    places.offsets[i] = (first + i) * run.table;
    places.used[i] = true;
  }
  for (int k = first_index; k < walk.indices; ++k) {
    const IndexedWalk::Index& index = walk.index[k];
    const auto add = index.item_size == 4 ? index_detail::add_places<int32_t>
                                          : index_detail::add_places<int64_t>;
    const int64_t step = run.index[k];
    const Owned all = {0, index.limit};
    add(index, k == 0 ? owned : all, here.index[k] + first * step, step, count, places);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
