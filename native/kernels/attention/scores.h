// SPDX-License-Identifier: Apache-2.0
// Tiles of scores: Note [Attention].
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/multiply.h"
#include "kernels/attention/attention.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// How many rows and keys a tile has; rows are padded to whole steps of softmax.
struct TileShape {
  TileShape(const Attention& attention, int64_t most_rows, int64_t most_keys);

  int64_t rows, keys;
};

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

// Calls visit(row, head, query, count) for rows of the same head.
template <typename Visit>
void for_each_head(const Attention& attention, const QueryBlock& block, const Visit& visit) {
  for (int64_t row = 0; row < block.count;) {
    const QueryRow at = row_of(attention, block, row);
    const int64_t count = std::min(block.count - row, attention.query.rows - at.query);
    visit(row, at, count);
    row += count;
  }
}

// The keys that a query sees, as far as that follows from places.
Span visible_keys(const Attention& attention, int64_t batch, int64_t query);
// Those that any row of a block sees.
Span visible_keys(const Attention& attention, const QueryBlock& block);

// Rows of a matrix by head, one after the other.
void read_block(const Attention& attention, const QueryBlock& block, const Heads& from, float* to);
// Queries times the scale.
void read_queries(const Attention& attention, const QueryBlock& block, float* to);

// A tile: scores of the rows of a block and some keys.
struct Tile {
  const Attention& attention;
  const QueryBlock& block;
  Span which;
  int64_t stride;  // from row to row

  int64_t keys() const { return which.end - which.begin; }
  int64_t padded_keys() const;
};

// -inf for what is not seen and up to the end of padded rows. Queries are scaled already.
void score(const Tile& tile, const float* queries, const Matrix<float>& keys, float* scores);

// Multiplies what belongs to scores by what dropout makes of 1.
void drop(const Tile& tile, float* values);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
