// SPDX-License-Identifier: Apache-2.0
// Buffers that queues carry: device memory that several of them may share, a few bytes of the
// program's own, and chains of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/call.h"

namespace aclhost {

// Device memory that goes with the last buffer that refers to it.
class BufferMemory {
 public:
  // Null if the device has no more.
  static std::shared_ptr<BufferMemory> of(size_t size, int32_t device);
  BufferMemory(void* start, size_t size) : start(start), size(size) {}
  ~BufferMemory();
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;

  void* const start;
  const size_t size;
};

struct SharedBuffer;
using BufferPtr = std::shared_ptr<SharedBuffer>;

struct SharedBuffer {
  static constexpr size_t kUserBytes = 96;
  static constexpr size_t kLongestChain = 128;

  std::shared_ptr<BufferMemory> memory;
  size_t length = 0;  // of what the program says that it has written
  std::array<char, kUserBytes> user{};
  std::vector<BufferPtr> chain;  // what follows, where this is the head
  bool is_member = false;        // of a chain, whose head it goes with
  bool is_queued = false;
  void* handle = nullptr;  // null for a copy that no program has seen yet
};

// Who looks at or changes any buffer holds this.
std::mutex& buffers_mutex();

// Null, with the failure reported, for what is no buffer that the program may use at the moment.
// The caller holds the mutex, here and below.
BufferPtr find_buffer(const Call& call, const char* parameter, const void* handle);

// Another buffer, or chain, on the same memory; without a handle.
BufferPtr copy_reference(const SharedBuffer& buffer);

// The handle of a buffer, which it gets now if it has none.
void* buffer_handle(const BufferPtr& buffer);

// Ends the handles of a buffer and, if it is their head, of those of its chain.
void end_handles(const SharedBuffer& buffer);

}  // namespace aclhost
