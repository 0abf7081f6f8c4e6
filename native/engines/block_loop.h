// SPDX-License-Identifier: Apache-2.0
// A point-wise loop over a range of positions, block by block: fetched, converted, computed,
// stored.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "engines/block_plan.h"
#include "engines/pointwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct BlockJob {
  Loop loop;
  const Number* numbers;
  int outs;
  bool past_cache;
  Blocks blocks;
  const BlockPlan& plan;
  Loop row_loop = nullptr;  // the same loop for blocks with one element of the first input
  bool in_tiles = false;    // blocks end with the second loop: they can be turned
  const std::atomic<bool>* enough = nullptr;  // tells that further blocks are not needed
};

// Whether an element of the size may be accessed there as such.
inline bool is_aligned(const void* address, int64_t item_size) {
  return reinterpret_cast<uintptr_t>(address) % std::min<int64_t>(item_size, 8) == 0;
}

// Positions [begin, end) with the scratch memory of a thread.
void compute_range(const BlockJob& job, const LoopNest& nest, int64_t begin, int64_t end,
                   char* scratch);

// Calls body(begin, end, scratch) as parallel_for() does. False: no memory for the blocks of that
// many operands.
template <typename Body>
bool parallel_with_scratch(const BlockPlan& plan, int64_t total, int64_t grain, const Body& body) {
  std::atomic<bool> enough_memory{true};
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    if (plan.scratch_bytes <= kStackScratch) {
      alignas(64) char scratch[kStackScratch];
      return body(begin, end, scratch);
    }
    const std::unique_ptr<char[]> scratch(new (std::nothrow) char[plan.scratch_bytes + 64]);
    if (scratch == nullptr) {
      enough_memory = false;
      return;
    }
    const int64_t to_line = -reinterpret_cast<intptr_t>(scratch.get()) & 63;
    body(begin, end, scratch.get() + to_line);
  });
  return enough_memory;
}

Status no_memory_for_blocks();

}  // namespace ACLHOST_ISA
}  // namespace aclhost
