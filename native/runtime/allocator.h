// SPDX-License-Identifier: Apache-2.0
// Allocators that a program registers for its streams.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/scratch_source.h"
#include "runtime/memory.h"

namespace aclhost {

class StreamAllocator;

extern std::atomic<int> registered_allocators;

// While one lives, scratch memory of the calling thread comes from the allocator of this stream, if
// that has one. Who takes the allocator away meanwhile waits.
class AllocatorUse {
 public:
  explicit AllocatorUse(int32_t stream) {
    if (registered_allocators.load(std::memory_order_relaxed) != 0) begin(stream);
  }
  ~AllocatorUse() {
    if (allocator_ != nullptr) end();
  }
  AllocatorUse(const AllocatorUse&) = delete;
  AllocatorUse& operator=(const AllocatorUse&) = delete;

 private:
  void begin(int32_t stream);
  void end();

  std::shared_ptr<StreamAllocator> allocator_;
  ScratchSource* before_ = nullptr;
  std::optional<MemoryUse> memory_;  // what the program frees too early stays
};

}  // namespace aclhost
