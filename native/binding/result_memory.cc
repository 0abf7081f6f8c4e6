// SPDX-License-Identifier: Apache-2.0
#include "binding/result_memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/machine_memory.h"

namespace aclhost::python {
namespace {

constexpr size_t kSmallest = size_t{1} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kSmallPage = 4096;
constexpr size_t kUnit = size_t{64} << 10;  // capacities are multiples, so that more of them match
constexpr int kMostBuffers = 16;

// Stands right before the memory.
struct Buffer {
  size_t capacity;
  size_t mapped;  // from the start of its page
};
constexpr size_t kHeader = 64;
static_assert(sizeof(Buffer) <= kHeader, "the memory stays aligned");

void* memory_of(Buffer* buffer) { return reinterpret_cast<char*>(buffer) + kHeader; }
Buffer* buffer_of(void* memory) {
  return reinterpret_cast<Buffer*>(static_cast<char*>(memory) - kHeader);
}
char* start_of(Buffer* buffer) { return static_cast<char*>(memory_of(buffer)) - kSmallPage; }

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// The memory starts on a huge page, its header at the end of a small one before.
Buffer* map_buffer(size_t size) {
  if (size > SIZE_MAX / 2) return nullptr;
  const size_t capacity = round_up(std::max<size_t>(size, 1), kUnit);
  const size_t reserved = capacity + kHugePage;
  void* mapped =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  char* const end = begin + reserved;
  char* const memory =
      reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(begin) + kSmallPage, kHugePage));
  char* const start = memory - kSmallPage;
  if (start > begin) munmap(begin, start - begin);
  if (memory + capacity < end) munmap(memory + capacity, end - (memory + capacity));
  madvise(memory, capacity, MADV_HUGEPAGE);  // a wish
  Buffer* buffer = buffer_of(memory);
  *buffer = {capacity, kSmallPage + capacity};
  return buffer;
}

void unmap_buffer(Buffer* buffer) { munmap(start_of(buffer), buffer->mapped); }

size_t read_limit() {
  size_t limit = 0;
  const char* text = std::getenv("ACLHOST_RESULT_CACHE");
  return text != nullptr && parse_size(text, &limit) ? limit : machine_memory() / 16;
}

size_t limit() {
  static const size_t bytes = read_limit();
  return bytes;
}

// The buffers that wait, the one that has waited longest first.
class Waiting {
 public:
  // The smallest one that is large enough and not much too large.
  Buffer* take(size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    int best = -1;
    for (int i = 0; i < count_; ++i) {
      const size_t capacity = buffers_[i]->capacity;
      if (capacity < size || capacity - size > size / 4) continue;
      if (best < 0 || capacity <= buffers_[best]->capacity) best = i;
    }
    return best < 0 ? nullptr : remove(best);
  }

  void put(Buffer* buffer) {
    Buffer* leaving[kMostBuffers];
    int leaving_count = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      while (count_ > 0 && (count_ == kMostBuffers || bytes_ + buffer->capacity > limit())) {
        leaving[leaving_count++] = remove(0);
      }
      bytes_ += buffer->capacity;
      buffers_[count_++] = buffer;
    }
    for (int i = 0; i < leaving_count; ++i) unmap_buffer(leaving[i]);
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    while (count_ > 0) unmap_buffer(remove(count_ - 1));
  }

  ResultMemory state() {
    std::lock_guard<std::mutex> lock(mutex_);
    return {bytes_, count_, limit()};
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  Buffer* remove(int index) {
    Buffer* buffer = buffers_[index];
    std::copy(buffers_ + index + 1, buffers_ + count_, buffers_ + index);
    --count_;
    bytes_ -= buffer->capacity;
    return buffer;
  }

  std::mutex mutex_;
  Buffer* buffers_[kMostBuffers];
  int count_ = 0;
  size_t bytes_ = 0;
};

// A fork waits until no other thread is inside: the child would find it locked for ever.
Waiting& waiting() {
  static auto& instance = *[] {
    static auto* const made = new Waiting;
    pthread_atfork([] { made->lock(); }, [] { made->unlock(); }, [] { made->unlock(); });
    return made;
  }();
  return instance;
}

}  // namespace

bool recycles_results(size_t size) { return size >= kSmallest && size <= limit(); }

void* take_result_memory(size_t size) {
  Buffer* buffer = waiting().take(size);
  if (buffer == nullptr) buffer = map_buffer(size);
  if (buffer == nullptr) {
    waiting().clear();  // perhaps that makes room
    buffer = map_buffer(size);
  }
  return buffer != nullptr ? memory_of(buffer) : nullptr;
}

void give_result_memory(void* memory) {
  Buffer* buffer = buffer_of(memory);
  recycles_results(buffer->capacity) ? waiting().put(buffer) : unmap_buffer(buffer);
}

void* resize_result_memory(void* memory, size_t size) {
  if (memory == nullptr) return take_result_memory(size);
  const size_t capacity = buffer_of(memory)->capacity;
  if (size <= capacity) return memory;
  void* larger = take_result_memory(size);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, memory, capacity);
  give_result_memory(memory);
  return larger;
}

ResultMemory result_memory() { return waiting().state(); }

}  // namespace aclhost::python
