// SPDX-License-Identifier: Apache-2.0
// The nest of loops over several strided views of one shape, without their types.
//
// The first operand gives the shape; the others are broadcast to it. The nest has as few dimensions
// as possible, the fastest one first, in the order of the first operand's memory. A position is a
// plain number from 0 to total: any range of it can be computed on its own, with the same results.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/small_array.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kFewOperands = 6;
constexpr int kMaxLoops = kMaxRank + 1;  // one dimension may be split in two
constexpr int64_t kBlockLength = 1024;

struct LoopNest {
  struct Operand {
    char* start;         // where position 0 lies
    int64_t item_size;   // bytes
    int64_t contiguous;  // elements that lie side by side, from any multiple of it on; 0: none
    int64_t strides[kMaxLoops];  // bytes
  };

  explicit LoopNest(int count) : operands(count), operand(count) {}

  int operands;
  int rank = 0;                // at least 1 unless there are no positions
  int64_t total = 0;           // number of positions
  bool rewrites = false;       // an output is written again: the order of positions matters
  int64_t longest_joined = 0;  // runs are joined to blocks up to this length
  int64_t shape[kMaxLoops];
  SmallArray<Operand, kFewOperands> operand;
};

// Without positions where a dimension is 0; the rest of the nest then means nothing.
// The first `outputs` views are written: where none of them moves, only the last position counts.
// Where nothing is written, all positions do.
LoopNest make_nest(const TensorView* const* views, int count, int outputs);

// Note [Turned results]
// Where several inputs, or wider ones, lie across the output's dimension, it is cheaper to walk
// along theirs and to turn the results. Inputs are then computed with run by run where they lie;
// results of some runs are turned at once. Puts that dimension first, and tells whether it did.
bool follow_inputs(LoopNest& nest, int outputs);

// See Note [Tiles] in strided.h. Tiles are `length` positions long along the output. They are for
// operands that move in steps of so many bytes: shorter ones share cache lines with neighbours.
constexpr int64_t kLargeStep = 64;
struct TiledNest {
  LoopNest whole_tiles;
  LoopNest rest_of_rows;  // may have no positions
};
bool wants_tiles(const LoopNest& nest, int64_t length, int64_t least_step = kLargeStep);
TiledNest in_tiles(const LoopNest& nest, int64_t length, int64_t least_step = kLargeStep);

// A range of positions. It lies in the nest at an index; the operands' places follow from that.
struct Block {
  int64_t count;
  int64_t index[kMaxLoops];

  // An empty one at a position.
  Block(const LoopNest& nest, int64_t position) : count(0) {
    for (int i = 0; i + 1 < nest.rank; ++i) {
      index[i] = position % nest.shape[i];
      position /= nest.shape[i];
    }
    index[nest.rank - 1] = position;
  }

  // Goes on behind its end.
  void advance(const LoopNest& nest) {
    int64_t carry = count;
    for (int i = 0; i + 1 < nest.rank && carry != 0; ++i) {
      index[i] += carry;
      if (index[i] < nest.shape[i]) return;
      carry = index[i] == nest.shape[i] ? 1 : index[i] / nest.shape[i];
      index[i] -= carry * nest.shape[i];
    }
    index[nest.rank - 1] += carry;
  }
};

inline char* address_of(const LoopNest& nest, const LoopNest::Operand& operand,
                        const Block& block) {
  char* address = operand.start;
  for (int i = 0; i < nest.rank; ++i) address += block.index[i] * operand.strides[i];
  return address;
}

// Whether the block is one array in the operand's memory.
inline bool is_contiguous(const LoopNest& nest, const LoopNest::Operand& operand,
                          const Block& block) {
  if (operand.contiguous == nest.total) return true;
  if (operand.contiguous == 0) return false;
  int64_t position = 0, elements = 1;
  for (int i = 0; elements < operand.contiguous; ++i) {
    position += block.index[i] * elements;
    elements *= nest.shape[i];
  }
  return position + block.count <= elements;
}

// How many positions a block takes that has at most `most` of them. Blocks end with the run where
// runs are long, so that they can be computed in place. Where runs are short, blocks are made of
// whole ones.
inline int64_t block_length(const LoopNest& nest, const Block& block, int64_t left, int64_t most) {
  const int64_t run = nest.shape[0], done = block.index[0];
  left = std::min(left, most);
  if (done > 0 || run > nest.longest_joined) return std::min(left, run - done);
  return left < run ? left : left / run * run;
}

// Positions up to where the second loop begins again: blocks that are turned end there.
inline int64_t left_in_tile(const LoopNest& nest, const Block& block) {
  return nest.shape[0] * (nest.shape[1] - block.index[1]) - block.index[0];
}

// Calls visit(address, length) for each run along the fastest dimension that the block touches.
template <typename Visit>
void for_each_run(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block,
                  const Visit& visit) {
  int64_t index[kMaxLoops];
  std::copy_n(block.index, nest.rank, index);
  char* address = address_of(nest, operand, block);
  int64_t count = block.count;
  while (true) {
    const int64_t length = std::min(count, nest.shape[0] - index[0]);
    visit(address, length);
    count -= length;
    if (count == 0) return;
    address -= index[0] * operand.strides[0];
    index[0] = 0;
    for (int i = 1; i < nest.rank; ++i) {
      address += operand.strides[i];
      if (++index[i] < nest.shape[i]) break;
      address -= nest.shape[i] * operand.strides[i];
      index[i] = 0;
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
