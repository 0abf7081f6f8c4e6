// SPDX-License-Identifier: Apache-2.0
// Tiles of scores: Note [Attention].
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/attention/attention.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kTileQueries = 64;
constexpr int64_t kTileKeys = 128;  // also the length of a tile's rows

struct Span {
  int64_t begin, end;
};

// Some rows of a group.
struct QueryBlock {
  int64_t batch, key_head;
  int64_t first, count;
};

struct QueryRow {
  int64_t head, query;
};
inline QueryRow row_of(const Attention& attention, const QueryBlock& block, int64_t row) {
  const int64_t place = block.first + row, queries = attention.query.rows;
  return {block.key_head * attention.group() + place / queries, place % queries};
}

// The keys that a query sees, as far as that follows from places.
Span visible_keys(const Attention& attention, int64_t batch, int64_t query);
// Those that any row of a block sees.
Span visible_keys(const Attention& attention, const QueryBlock& block);

// Rows of a matrix by head, one after the other.
void read_block(const Attention& attention, const QueryBlock& block, const Heads& from, float* to);

// Scores of the rows of a block and `count` keys from `first` on; -inf for what is not seen and up
// to the end of a row. `queries` and `keys` are rows of the query's width.
void score(const Attention& attention, const QueryBlock& block, const float* queries,
           const float* keys, Span which, float* scores);

// Multiplies what belongs to scores by what dropout makes of 1.
void drop(const Attention& attention, const QueryBlock& block, Span which, float* values);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
