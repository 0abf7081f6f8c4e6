// SPDX-License-Identifier: Apache-2.0
// One walk over several strided views of the same shape.
//
// Operand 0 is the output and gives the shape; the others are broadcast to it. The loop is stated
// in as few dimensions as possible, the fastest one first, so that most views end up as one long
// run. A position is a plain number from 0 to total: any range of it can be computed on its own,
// with the same results.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kMaxOperands = 4;

struct StridedLoop {
  int operands = 0;
  int rank = 0;       // at least 1
  int64_t total = 0;  // number of positions
  int64_t shape[kMaxRank];
  int64_t strides[kMaxOperands][kMaxRank];  // in elements of the operand
  int64_t start[kMaxOperands] = {};         // where position 0 lies, likewise
};

StridedLoop make_loop(std::initializer_list<const TensorView*> views);

// The number of elements if the views, the output first, are arrays of this dtype, have the same
// elements or none in common with the output, and are not more than `most`; else 0.
int64_t small_arrays(const TensorView* const* views, int count, aclDataType dtype,
                     int64_t item_size, int64_t most);

// Note [Tiles]
// An input that runs along another dimension than the output is read in large steps: every element
// from another page, and its neighbours not before all others in the row. Positions in tiles, of
// some hundred elements along the output's dimension and all along the input's, meet them while
// they are in the cache. The order of positions is then another one, so this is for loops that
// may have any.
constexpr int64_t kTileLength = 128;
struct TiledLoop {
  StridedLoop whole_tiles;
  StridedLoop rest_of_rows;  // may have no positions
};
bool wants_tiles(const StridedLoop& loop);
TiledLoop in_tiles(const StridedLoop& loop);

// Where a position lies, in elements from the view's first element. Leaves the index in `index`.
inline int64_t offset_at(const StridedLoop& loop, int operand, int64_t position, int64_t* index) {
  int64_t offset = loop.start[operand];
  for (int i = 0; i < loop.rank; ++i) {
    index[i] = position % loop.shape[i];
    position /= loop.shape[i];
    offset += index[i] * loop.strides[operand][i];
  }
  return offset;
}

// The same for a known index, without divisions.
inline int64_t offset_of(const StridedLoop& loop, int operand, const int64_t* index) {
  int64_t offset = loop.start[operand];
  for (int i = 0; i < loop.rank; ++i) offset += index[i] * loop.strides[operand][i];
  return offset;
}

// Calls visit(offset, length) for each run along the fastest dimension that the positions
// [begin, begin + count) touch.
template <typename Visit>
void for_each_run(const StridedLoop& loop, int operand, int64_t begin, int64_t count,
                  const Visit& visit) {
  const int64_t* strides = loop.strides[operand];
  int64_t index[kMaxRank];
  int64_t offset = offset_at(loop, operand, begin, index);
  while (true) {
    const int64_t left_in_run = loop.shape[0] - index[0];
    const int64_t length = count < left_in_run ? count : left_in_run;
    visit(offset, length);
    count -= length;
    if (count == 0) return;
    offset -= index[0] * strides[0];
    index[0] = 0;
    for (int i = 1; i < loop.rank; ++i) {
      offset += strides[i];
      if (++index[i] < loop.shape[i]) break;
      offset -= loop.shape[i] * strides[i];
      index[i] = 0;
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
