// SPDX-License-Identifier: Apache-2.0
#include "engines/block_loop.h"

#include "aclnn/opdev/op_errno.h"
#include "engines/runs.h"
#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

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

// Without the elements behind the last whole line of the first output: they are streamed with the
// rest of their line.
int64_t up_to_line(const LoopNest& nest, const Block& block, int64_t count) {
  const LoopNest::Operand& output = nest.operand[0];
  const char* const end = address_of(nest, output, block) + count * output.item_size;
  const int64_t rest = reinterpret_cast<intptr_t>(end) % kLineBytes / output.item_size;
  return count > rest ? count - rest : count;
}

constexpr int64_t kLongRange = 1 << 20;  // bytes: they come from beyond the second-level cache
constexpr int64_t kPieceBytes = 512;     // of the largest operand, where results go past the cache

// Computes blocks with the scratch memory of a thread.
class BlockLoop {
 public:
  BlockLoop(const BlockJob& job, const LoopNest& nest, char* scratch)
      : job_(job),
        nest_(nest),
        scratch_(scratch),
        pointers_(reinterpret_cast<void**>(scratch)),
        held_(reinterpret_cast<Held*>(scratch + job.plan.held)) {
    std::fill_n(held_, nest.operands, Held{nullptr, kNeverSame, 0});
  }

  void compute(const Block& block) {
    if (job_.blocks == Blocks::kTurned) return compute_runs(block);
    const int alone = is_column() ? job_.outs : -1;
    for (int k = 0; k < nest_.operands; ++k) {
      if (k != alone) pointers_[k] = k < job_.outs ? target(k, block) : fetch(k, block);
    }
    if (alone >= 0) {
      compute_rows(block);
    } else if (streams_at_once(block)) {
      return compute_pieces(block);
    } else {
      job_.loop(pointers_ + job_.outs, pointers_, block.count, job_.numbers);
    }
    for (int k = 0; k < job_.outs; ++k) flush(k, block);
  }

 private:
  // One run after the other; the results of all of them are stored together.
  void compute_runs(const Block& block) {
    Block run = block;
    run.count = 0;
    for (int64_t done = 0; done < block.count; done += run.count) {
      run.advance(nest_);
      run.count = std::min({block.count - done, nest_.shape[0] - run.index[0], kTurnedLength});
      for (int k = 0; k < nest_.operands; ++k) {
        const int64_t place = done * job_.plan.conversions[k].loop_size;
        pointers_[k] = k < job_.outs ? loop_buffer(k) + place : fetch(k, run);
      }
      job_.loop(pointers_ + job_.outs, pointers_, run.count, job_.numbers);
    }
    for (int k = 0; k < job_.outs; ++k) {
      pointers_[k] = loop_buffer(k);
      flush(k, block);
    }
  }

  // Whether results go past the cache as the loop leaves them.
  bool streams_at_once(const Block& block) const {
    for (int k = 0; k < job_.outs; ++k) {
      if (job_.plan.conversions[k].first != nullptr ||
          !is_contiguous(nest_, nest_.operand[k], block)) {
        return false;
      }
    }
    return job_.past_cache;
  }

  // A few lines at a time: reading goes on while they are written. With more of them, reading
  // waits for writing, and for stores that only seem to be to the same address: twice as long.
  void compute_pieces(const Block& block) {
    int64_t largest = 1;
    for (int k = 0; k < nest_.operands; ++k) {
      largest = std::max(largest, nest_.operand[k].item_size);
    }
    const int64_t length = std::max(kPieceBytes / largest, kLineBytes);
    for (int64_t done = 0, count; done < block.count; done += count) {
      const bool is_last = block.count - done <= length;
      count = is_last ? block.count - done : up_to_line(nest_, block, done + length) - done;
      for (int k = job_.outs; k < nest_.operands; ++k) {
        if (is_in_scratch(pointers_[k])) continue;
        fetch_ahead(pointers_[k], count * nest_.operand[k].item_size);
      }
      job_.loop(pointers_ + job_.outs, pointers_, count, job_.numbers);
      for (int k = 0; k < job_.outs; ++k) {
        const LoopNest::Operand& operand = nest_.operand[k];
        stream_run(pointers_[k], count * operand.item_size,
                   address_of(nest_, operand, block) + done * operand.item_size);
      }
      for (int k = job_.outs; k < nest_.operands; ++k) {
        pointers_[k] =
            static_cast<char*>(pointers_[k]) + count * job_.plan.conversions[k].loop_size;
      }
    }
  }

  // Brings what comes after elements that are read where they are. Processors foresee it, too, but
  // not behind loads with a mask, of which compilers make choices, and late where blocks of several
  // operands are read in turns. Compilers see no effect of such a function, and leave out its
  // calls.
  __attribute__((always_inline)) static void fetch_ahead(const void* elements, int64_t bytes) {
    constexpr uintptr_t kAhead = 4 << 10;
    const uintptr_t later = reinterpret_cast<uintptr_t>(elements) + kAhead;
    for (int64_t at = 0; at < bytes; at += kLineBytes) {
      __builtin_prefetch(reinterpret_cast<const void*>(later + at));
    }
  }

  bool is_in_scratch(const void* place) const {
    const auto distance =
        reinterpret_cast<uintptr_t>(place) - reinterpret_cast<uintptr_t>(scratch_);
    return distance < static_cast<uintptr_t>(job_.plan.scratch_bytes);
  }

  // Whether the first input has one element for each row, and a loop takes it where it is.
  // Spreading it is cheaper where rows are but a vector or two.
  bool is_column() const {
    if (job_.row_loop == nullptr) return false;
    const LoopNest::Operand& first = nest_.operand[job_.outs];
    const bool pays = nest_.shape[0] * first.item_size > 2 * kVectorBytes;
    return pays && first.strides[0] == 0 && job_.plan.conversions[job_.outs].first == nullptr &&
           is_aligned(first.start, first.item_size);
  }

  // Row by row, with an element of the first input; the other operands are there for all rows.
  void compute_rows(const Block& block) {
    Block row = block;
    row.count = 0;
    for (int64_t done = 0; done < block.count; done += row.count) {
      row.advance(nest_);
      row.count = std::min(block.count - done, nest_.shape[0] - row.index[0]);
      pointers_[job_.outs] = address_of(nest_, nest_.operand[job_.outs], row);
      job_.row_loop(pointers_ + job_.outs, pointers_, row.count, job_.numbers);
      move_others(row.count);
    }
    move_others(-block.count);
  }

  void move_others(int64_t elements) {
    for (int k = 0; k < nest_.operands; ++k) {
      if (k == job_.outs) continue;
      pointers_[k] =
          static_cast<char*>(pointers_[k]) + elements * job_.plan.conversions[k].loop_size;
    }
  }

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
    } else if (nest_.total * operand.item_size > kLongRange) {
      fetch_ahead(source, block.count * operand.item_size);
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

  const BlockJob& job_;
  const LoopNest& nest_;
  char* const scratch_;
  void** const pointers_;  // the outputs', then the inputs'
  Held* const held_;
};

}  // namespace

void compute_range(const BlockJob& job, const LoopNest& nest, int64_t begin, int64_t end,
                   char* scratch) {
  BlockLoop blocks(job, nest, scratch);
  Block block(nest, begin);
  for (; begin < end; begin += block.count) {
    if (job.enough != nullptr && job.enough->load(std::memory_order_relaxed)) break;
    block.advance(nest);
    const int64_t left = job.in_tiles ? left_in_tile(nest, block) : nest.total;
    block.count = block_length(nest, block, std::min(left, end - begin), job.plan.block);
    const bool ends_in_run = block.index[0] + block.count < nest.shape[0];
    if (job.past_cache && ends_in_run && block.count == job.plan.block) {
      block.count = up_to_line(nest, block, block.count);
    }
    blocks.compute(block);
  }
  if (job.past_cache) finish_streaming();
}

Status no_memory_for_blocks() {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for a block of every operand"});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
