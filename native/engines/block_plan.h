// SPDX-License-Identifier: Apache-2.0
// How the operands of a point-wise operator get from their views to its loop and back.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/cast.h"
#include "engines/loop_nest.h"
#include "engines/pointwise.h"
#include "engines/small_array.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The steps between an element of a view and one of the loop.
struct Conversion {
  CastArray first;      // null: none is needed
  CastArray second;     // null: one step is enough
  int64_t middle_size;  // bytes of an element between the two steps
  int64_t loop_size;    // bytes of the loop's element
};

// What the buffer of an input holds, so that what blocks share is fetched once.
struct Held {
  const char* address;
  int64_t phase;
  int64_t count;
};

// A block of every operand fits in a thread's scratch memory. Places are in bytes from its start.
struct BlockPlan {
  explicit BlockPlan(int count) : conversions(count), view_buffers(count), loop_buffers(count) {}

  int64_t block = 0;  // elements
  int64_t scratch_bytes = 0;
  int64_t held = 0;
  int64_t middle_buffer = 0;
  SmallArray<Conversion, kFewOperands> conversions;
  SmallArray<int64_t, kFewOperands> view_buffers;
  SmallArray<int64_t, kFewOperands> loop_buffers;  // the same place if nothing is converted
};

constexpr int64_t kStackScratch = 64 << 10;  // bytes; more comes from the heap

// What blocks are for: the first-level cache; the same and results past it; results that are
// turned, many runs at once, of which each is fetched alone or all are where they lie
// (Note [Turned results]).
enum class Blocks { kCached, kStreamed, kTurned, kTurnedInPlace };
constexpr int64_t kTurnedLength = 512;  // elements: the longest run that is fetched

// Outputs come first, as in the nest.
Status find_conversions(const Operand* outs, int out_count, const Operand* ins, int in_count,
                        bool narrow, BlockPlan& plan);
void lay_out_buffers(const LoopNest& nest, int outs, Blocks blocks, BlockPlan& plan);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
