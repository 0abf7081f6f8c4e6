// SPDX-License-Identifier: Apache-2.0
// Pools of device memory that streams take blocks from and give them back to, in the order of their
// tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/call.h"
#include "runtime/event.h"
#include "runtime/stream.h"

namespace aclhost {

class MemoryPool {
 public:
  struct Amounts {
    uint64_t current = 0;
    uint64_t high = 0;
    void add(size_t size);
  };

  // At most so many bytes, in whole blocks of 2 MiB.
  MemoryPool(int32_t device, size_t most);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  int32_t device() const { return device_; }
  // Null if the pool, or the device, has no more.
  void* take(size_t size, Stream& stream);
  // False if the address is no block in use. Streams reuse it behind the mark; null: at once.
  bool give_back(void* address, int32_t stream, MarkPtr freed);
  bool owns(const void* address);
  bool is_used();
  // Gives idle blocks back to the device until so many bytes are reserved, or none is left.
  void trim(uint64_t keep);
  // What a synchronization does: no more than the threshold stays idle.
  void trim_idle();

  bool get(int attribute, void* value);
  bool set(int attribute, const void* value);

 private:
  struct Block {
    size_t size;
    int32_t stream;  // that has given it back
    MarkPtr freed;   // where
  };
  using Blocks = std::multimap<size_t, std::pair<void*, Block>>;

  // The caller holds the mutex.
  Blocks::iterator find_idle(size_t size, Stream& stream);
  void trim_locked(uint64_t keep);
  uint64_t* amount(int attribute);

  const int32_t device_;
  const size_t most_;
  std::mutex mutex_;
  std::map<void*, size_t> used_;
  Blocks idle_;  // by size
  Amounts reserved_, in_use_;
  uint32_t reuses_[3] = {0, 0, 0};  // by attribute, from ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_... on
  uint64_t threshold_ = 0;
};

// What a synchronization of streams does to all pools of a device.
void trim_pools(int32_t device);
// Gives memory of a pool back at once; false if it is none.
bool return_to_pool(void* address);

}  // namespace aclhost
