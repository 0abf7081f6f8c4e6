// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "aclnn/opdev/op_errno.h"
#include "base/parallel.h"
#include "engines/block_plan.h"
#include "engines/overlap.h"
#include "engines/runs.h"
#include "engines/scalars.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 16 * kBlockLength;      // less is not worth a second thread
constexpr int64_t kTiledGrain = 4 * kBlockLength;  // likewise, of what takes much longer
constexpr int64_t kTileLength = 64;

struct Job {
  Loop loop;
  const Number* numbers;
  int outs;
  bool past_cache;
  const BlockPlan& plan;
};

// Whether an element of the size may be accessed there as such.
bool is_aligned(const void* address, int64_t item_size) {
  return reinterpret_cast<uintptr_t>(address) % std::min<int64_t>(item_size, 8) == 0;
}

void convert_block(const Conversion& steps, const char* from, char* middle, char* to,
                   int64_t count) {
  if (steps.second == nullptr) {
    steps.first(from, to, count);
  } else {
    steps.first(from, middle, count);
    steps.second(middle, to, count);
  }
}

// Blocks of an input that begin at the same address are the same if their phases are.
constexpr int64_t kNeverSame = -1, kAlwaysSame = -2;
int64_t phase_of(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block) {
  if (block.index[0] + block.count <= nest.shape[0]) {
    return operand.strides[0] == 0 ? kAlwaysSame : kNeverSame;
  }
  const int64_t run = block.index[1] * nest.shape[0] + block.index[0];
  if (operand.strides[1] != 0 || run + block.count > nest.shape[0] * nest.shape[1]) {
    return kNeverSame;
  }
  return operand.strides[0] == 0 ? kAlwaysSame : block.index[0];
}

// Computes blocks with the scratch memory of a thread.
class BlockLoop {
 public:
  BlockLoop(const Job& job, const LoopNest& nest, char* scratch)
      : job_(job),
        nest_(nest),
        scratch_(scratch),
        pointers_(reinterpret_cast<void**>(scratch)),
        held_(reinterpret_cast<Held*>(scratch + job.plan.held)) {
    std::fill_n(held_, nest.operands, Held{nullptr, kNeverSame, 0});
  }

  void compute(const Block& block) {
    for (int k = 0; k < nest_.operands; ++k) {
      pointers_[k] = k < job_.outs ? target(k, block) : fetch(k, block);
    }
    job_.loop(pointers_ + job_.outs, pointers_, block.count, job_.numbers);
    for (int k = 0; k < job_.outs; ++k) flush(k, block);
  }

 private:
  char* view_buffer(int k) const { return scratch_ + job_.plan.view_buffers[k]; }
  char* loop_buffer(int k) const { return scratch_ + job_.plan.loop_buffers[k]; }

  // The block's memory if the loop can work on it.
  void* in_place(int k, const Block& block) const {
    const LoopNest::Operand& operand = nest_.operand[k];
    if (job_.plan.conversions[k].first != nullptr || !is_contiguous(nest_, operand, block))
      return nullptr;
    char* const address = address_of(nest_, operand, block);
    return is_aligned(address, operand.item_size) ? address : nullptr;
  }

  void* target(int k, const Block& block) const {
    void* const place = job_.past_cache ? nullptr : in_place(k, block);
    return place != nullptr ? place : loop_buffer(k);
  }

  void* fetch(int k, const Block& block) {
    if (void* const place = in_place(k, block)) return place;
    const LoopNest::Operand& operand = nest_.operand[k];
    const char* source = address_of(nest_, operand, block);
    const int64_t phase = phase_of(nest_, operand, block);
    Held& held = held_[k];
    const bool same = phase != kNeverSame && held.address == source && held.phase == phase;
    if (same && held.count >= block.count) return loop_buffer(k);
    held = {source, phase, block.count};
    const Conversion& steps = job_.plan.conversions[k];
    if (steps.first == nullptr || !is_contiguous(nest_, operand, block)) {
      gather(nest_, operand, block, view_buffer(k));
      source = view_buffer(k);
    }
    if (steps.first != nullptr) convert(steps, source, loop_buffer(k), block.count);
    return loop_buffer(k);
  }

  void flush(int k, const Block& block) const {
    if (pointers_[k] != loop_buffer(k)) return;
    const LoopNest::Operand& operand = nest_.operand[k];
    const Conversion& steps = job_.plan.conversions[k];
    char* const place =
        is_contiguous(nest_, operand, block) ? address_of(nest_, operand, block) : nullptr;
    char* results = loop_buffer(k);
    if (steps.first != nullptr) {
      char* const to = place != nullptr && !job_.past_cache ? place : view_buffer(k);
      convert(steps, results, to, block.count);
      results = to;
    }
    if (results == place) return;
    if (place != nullptr && job_.past_cache) {
      stream_run(results, block.count * operand.item_size, place);
    } else {
      scatter(results, nest_, operand, block);
    }
  }

  void convert(const Conversion& steps, const char* from, char* to, int64_t count) const {
    convert_block(steps, from, scratch_ + job_.plan.middle_buffer, to, count);
  }

  const Job& job_;
  const LoopNest& nest_;
  char* const scratch_;
  void** const pointers_;  // the outputs', then the inputs'
  Held* const held_;
};

void compute_range(const Job& job, const LoopNest& nest, int64_t begin, int64_t end,
                   char* scratch) {
  BlockLoop blocks(job, nest, scratch);
  Block block(nest, begin);
  for (; begin < end; begin += block.count) {
    block.advance(nest);
    block.count = block_length(nest, block, end - begin, job.plan.block);
    blocks.compute(block);
  }
  if (job.past_cache) finish_streaming();
}

// False: no memory for the blocks of that many operands.
bool compute_blocks(const Job& job, const LoopNest& nest, int64_t grain) {
  std::atomic<bool> enough_memory{true};
  parallel_for(nest.total, grain, [&](int64_t begin, int64_t end) {
    if (job.plan.scratch_bytes <= kStackScratch) {
      alignas(64) char scratch[kStackScratch];
      return compute_range(job, nest, begin, end, scratch);
    }
    const std::unique_ptr<char[]> scratch(new (std::nothrow) char[job.plan.scratch_bytes + 64]);
    if (scratch == nullptr) {
      enough_memory = false;
      return;
    }
    const int64_t to_line = -reinterpret_cast<intptr_t>(scratch.get()) & 63;
    compute_range(job, nest, begin, end, scratch.get() + to_line);
  });
  return enough_memory;
}

// Whether the loop can work on all of the operands' memory at once.
constexpr int kMostInPlace = 24;
bool is_one_block(const LoopNest& nest, const BlockPlan& plan) {
  if (nest.operands > kMostInPlace) return false;
  for (int k = 0; k < nest.operands; ++k) {
    const LoopNest::Operand& operand = nest.operand[k];
    if (plan.conversions[k].first != nullptr || operand.contiguous != nest.total ||
        !is_aligned(operand.start, operand.item_size)) {
      return false;
    }
  }
  return true;
}

void compute_in_place(const Job& job, const LoopNest& nest) {
  parallel_for(nest.total, kGrain, [&](int64_t begin, int64_t end) {
    void* pointers[kMostInPlace];
    for (int k = 0; k < nest.operands; ++k) {
      pointers[k] = nest.operand[k].start + begin * nest.operand[k].item_size;
    }
    job.loop(pointers + job.outs, pointers, end - begin, job.numbers);
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
  return nest.total > cache_bytes() / std::max<int64_t>(bytes, 1);
}

Status no_memory() {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for a block of every operand"});
}

LoopNest nest_of(const Operand* outs, int out_count, const Operand* ins, int in_count) {
  const int count = out_count + in_count;
  SmallArray<const TensorView*, kFewOperands> views(count);
  for (int k = 0; k < count; ++k) views[k] = k < out_count ? outs[k].view : ins[k - out_count].view;
  return make_nest(views.data(), count, out_count);
}

// The same on copies of the inputs that share memory with an output.
Status compute_on_copies(const LoopNest& nest, Loop loop, const Operand* outs, int out_count,
                         const Operand* ins, int in_count, const Number* numbers) {
  const std::unique_ptr<CopiedView[]> copies(new CopiedView[in_count]);
  SmallArray<Operand, kFewOperands> inputs(in_count);
  for (int k = 0; k < in_count; ++k) {
    inputs[k] = ins[k];
    if (!needs_copy(nest, out_count, out_count + k)) continue;
    Status copied = copy_of(*ins[k].view, copies[k]);
    if (!copied.ok()) return copied;
    inputs[k].view = &copies[k].view;
  }
  return pointwise(loop, outs, out_count, inputs.data(), in_count, numbers);
}

}  // namespace

Status pointwise(Loop loop, const Operand* outs, int out_count, const Operand* ins, int in_count,
                 const Number* numbers) {
  BlockPlan plan(out_count + in_count);
  Status found = find_conversions(outs, out_count, ins, in_count, plan);
  if (!found.ok()) return found;
  const LoopNest nest = nest_of(outs, out_count, ins, in_count);
  if (nest.total == 0) return {};
  if (needs_copies(nest, out_count)) {
    return compute_on_copies(nest, loop, outs, out_count, ins, in_count, numbers);
  }
  const Job job = {loop, numbers, out_count, goes_past_cache(nest, out_count), plan};
  if (!job.past_cache && is_one_block(nest, plan)) {
    compute_in_place(job, nest);
    return {};
  }
  lay_out_buffers(nest, plan);
  bool computed;
  if (nest.rewrites || !wants_tiles(nest, kTileLength)) {
    computed = compute_blocks(job, nest, nest.rewrites ? nest.total : kGrain);
  } else {
    const TiledNest tiled = in_tiles(nest, kTileLength);
    computed = compute_blocks(job, tiled.whole_tiles, kTiledGrain) &&
               compute_blocks(job, tiled.rest_of_rows, kTiledGrain);
  }
  return computed ? Status{} : no_memory();
}

Number number_of(const ScalarValue& scalar, aclDataType dtype) {
  alignas(Number) char element[sizeof(Number)] = {};
  Number number;
  std::memset(&number, 0, sizeof number);
  const CastArray widen = find_array_cast(dtype, loop_type(dtype));
  if (widen != nullptr && scalar_as(scalar, dtype, element)) {
    widen(element, reinterpret_cast<char*>(&number), 1);
  }
  return number;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
