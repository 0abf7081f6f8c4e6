// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engines/block_loop.h"
#include "engines/lines.h"
#include "engines/scalars.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 16 * kBlockLength;      // less is not worth a second thread
constexpr int64_t kTiledGrain = 4 * kBlockLength;  // likewise, of what takes much longer
constexpr int64_t kTileLength = 64;
constexpr int64_t kLongRange = 1 << 20;  // bytes: they come from beyond the second-level cache

bool compute_blocks(const BlockJob& job, const LoopNest& nest, int64_t grain) {
  return parallel_with_scratch(job.plan, nest.total, grain,
                               [&](int64_t begin, int64_t end, char* scratch) {
                                 compute_range(job, nest, begin, end, scratch);
                               });
}

// Whether the loop can work on all of the operands' memory at once, from one operand on.
constexpr int kMostInPlace = 24;
bool is_one_block(const LoopNest& nest, const BlockPlan& plan, int first) {
  if (nest.operands > kMostInPlace) return false;
  for (int k = first; k < nest.operands; ++k) {
    const LoopNest::Operand& operand = nest.operand[k];
    if (plan.conversions[k].first != nullptr || operand.contiguous != nest.total ||
        !is_aligned(operand.start, operand.item_size)) {
      return false;
    }
  }
  return true;
}

void compute_in_place(const BlockJob& job, const LoopNest& nest) {
  parallel_for(nest.total, kGrain, [&](int64_t begin, int64_t end) {
    const auto compute = [&](int64_t first, int64_t last) {
      void* pointers[kMostInPlace];
      for (int k = 0; k < nest.operands; ++k) {
        pointers[k] = nest.operand[k].start + first * nest.operand[k].item_size;
      }
      job.loop(pointers + job.outs, pointers, last - first, job.numbers);
    };
    // Vectors that lie across two lines each wait for both of them.
    const int64_t size = nest.operand[0].item_size;
    if ((end - begin) * size >= kLongRange) {
      const int64_t lead = elements_before_line(nest.operand[0].start + begin * size, size);
      if (lead > 0) compute(begin, begin + lead);
      begin += lead;
    }
    compute(begin, end);
  });
}

// Whether each row of the result is a row of the second of two inputs with a single element of the
// first, and the loop can work on all of them where they are.
bool has_rows_in_place(const LoopNest& nest, const BlockJob& job) {
  if (job.row_loop == nullptr || job.past_cache || nest.rewrites) return false;
  if (nest.rank != 2 || nest.operands != 3) return false;
  for (int k = 0; k < nest.operands; ++k) {
    const LoopNest::Operand& operand = nest.operand[k];
    const int64_t step = k == job.outs ? 0 : operand.item_size;
    if (job.plan.conversions[k].first != nullptr || operand.strides[0] != step ||
        !is_aligned(operand.start, operand.item_size)) {
      return false;
    }
  }
  return nest.shape[0] * nest.operand[0].item_size > 2 * kVectorBytes;
}

void compute_rows_in_place(const BlockJob& job, const LoopNest& nest) {
  parallel_for(nest.shape[1], kGrain / nest.shape[0] + 1, [&](int64_t begin, int64_t end) {
    void* pointers[3];
    for (int64_t row = begin; row < end; ++row) {
      for (int k = 0; k < nest.operands; ++k) {
        pointers[k] = nest.operand[k].start + row * nest.operand[k].strides[1];
      }
      job.row_loop(pointers + job.outs, pointers, nest.shape[0], job.numbers);
    }
  });
}

// In place, the memory is in the cache when it is written.
bool goes_past_cache(const LoopNest& nest, int outs) {
  int64_t bytes = 0;
  for (int k = 0; k < nest.operands; ++k) {
    const LoopNest::Operand& operand = nest.operand[k];
    if (operand.strides[0] != 0) bytes += operand.item_size;
    for (int out = 0; k >= outs && out < outs; ++out) {
      if (operand.start == nest.operand[out].start) return false;
    }
  }
  return outs > 0 && nest.total > cache_bytes() / std::max<int64_t>(bytes, 1);
}

// Inputs in one piece are computed with where they lie, many short runs at a time: the loop would
// take each of these with the elements behind its last whole vector one by one.
Blocks blocks_of_turned(const LoopNest& nest, int outs, const BlockPlan& plan) {
  const bool in_place = nest.shape[0] <= kTurnedLength && is_one_block(nest, plan, outs);
  return in_place ? Blocks::kTurnedInPlace : Blocks::kTurned;
}

// Results of one run alone would be single elements of many lines.
void join_runs(LoopNest& nest) { nest.longest_joined = nest.shape[0]; }

LoopNest nest_of(const Operand* outs, int out_count, const Operand* ins, int in_count) {
  const int count = out_count + in_count;
  SmallArray<const TensorView*, kFewOperands> views(count);
  for (int k = 0; k < count; ++k) views[k] = k < out_count ? outs[k].view : ins[k - out_count].view;
  return make_nest(views.data(), count, out_count);
}

}  // namespace

Status pointwise(Loop loop, const Operand* outs, int out_count, const Operand* ins, int in_count,
                 const Number* numbers, bool narrow, Loop row_loop,
                 const std::atomic<bool>* enough) {
  BlockPlan plan(out_count + in_count);
  Status found = find_conversions(outs, out_count, ins, in_count, narrow, plan);
  if (!found.ok()) return found;
  LoopNest nest = nest_of(outs, out_count, ins, in_count);
  if (nest.total == 0) return {};
  const bool past_cache = goes_past_cache(nest, out_count);
  const Blocks in_order = past_cache ? Blocks::kStreamed : Blocks::kCached;
  BlockJob job = {loop, numbers, out_count, past_cache, in_order, plan, row_loop};
  job.enough = enough;
  if (!job.past_cache && is_one_block(nest, plan, 0)) {
    compute_in_place(job, nest);
    return {};
  }
  if (has_rows_in_place(nest, job)) {
    compute_rows_in_place(job, nest);
    return {};
  }
  if (out_count > 0 && follow_inputs(nest, out_count)) {
    job.blocks = blocks_of_turned(nest, out_count, plan);
    job.in_tiles = job.blocks == Blocks::kTurned;
    join_runs(nest);
  }
  lay_out_buffers(nest, out_count, job.blocks, plan);
  const int64_t tile = job.blocks == Blocks::kTurned ? kTurnedLength : kTileLength;
  bool computed;
  if (job.blocks == Blocks::kTurnedInPlace) {
    const int64_t blocks = (kTiledGrain + plan.block - 1) / plan.block;
    computed = compute_blocks(job, nest, blocks * plan.block);
  } else if (nest.rewrites || !wants_tiles(nest, tile)) {
    computed = compute_blocks(job, nest, nest.rewrites ? nest.total : kGrain);
  } else {
    TiledNest tiled = in_tiles(nest, tile);
    job.in_tiles = true;
    if (job.blocks == Blocks::kTurned) {
      join_runs(tiled.whole_tiles);
      join_runs(tiled.rest_of_rows);
    }
    computed = compute_blocks(job, tiled.whole_tiles, kTiledGrain) &&
               compute_blocks(job, tiled.rest_of_rows, kTiledGrain);
  }
  return computed ? Status{} : no_memory_for_blocks();
}

Number number_of(const ScalarValue& scalar, aclDataType dtype) {
  alignas(Number) char element[sizeof(Number)] = {};
  Number number;
  std::memset(&number, 0, sizeof number);
  const CastArray widen = find_array_cast(dtype, loop_type(dtype));
  if (widen != nullptr && scalar_as(scalar, dtype, element)) {
    widen(element, reinterpret_cast<char*>(&number), 1);
  }
  // Half loops round by computed_to_bf16().
  if (loop_type(dtype) == ACL_FLOAT) number.f = without_nan_bits(number.f);
  return number;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
