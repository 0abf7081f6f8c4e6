// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

#include "base/scratch_source.h"

namespace aclhost {
namespace {

// What is smaller malloc keeps by itself; larger blocks are worth their page faults.
constexpr size_t kLeastKept = 64 << 10, kMostKept = 8 << 20;
constexpr int kBlocks = 3;              // that a thread keeps
constexpr size_t kHugeFrom = 32 << 20;  // malloc maps such blocks one by one

// Stands before every block; whatever type lies behind it is aligned.
struct alignas(64) Header {
  size_t bytes;
  ScratchSource* source;  // null: the process
  void* block;            // of the source
};

__constinit thread_local ScratchSource* current_source = nullptr;

// Operators may be called when the thread's blocks are gone: by destructors of static objects.
thread_local bool has_ended = false;

class KeptBlocks {
 public:
  ~KeptBlocks() {
    for (Header* each : blocks_) std::free(each);
    has_ended = true;
  }

  // One that is large enough, but not far too large. Null: there is none.
  Header* find(size_t bytes) {
    for (Header*& each : blocks_) {
      if (each != nullptr && each->bytes >= bytes && each->bytes / 2 <= bytes) {
        return std::exchange(each, nullptr);
      }
    }
    return nullptr;
  }

  void keep(Header* block) {
    for (Header*& each : blocks_) {
      if (each == nullptr) {
        each = block;
        return;
      }
    }
    std::free(std::exchange(blocks_[next_], block));
    next_ = (next_ + 1) % kBlocks;
  }

 private:
  Header* blocks_[kBlocks] = {};
  int next_ = 0;  // makes room for another one
};

KeptBlocks& kept() {
  thread_local KeptBlocks blocks;
  return blocks;
}

bool is_kept(size_t bytes) { return bytes >= kLeastKept && bytes <= kMostKept && !has_ended; }

// Fewer page faults, and fewer ways to pages of what is written here and there.
void wish_for_huge_pages(void* block, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t start = reinterpret_cast<uintptr_t>(block), end = start + bytes;
  const uintptr_t first = (start + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(first), end / kPage * kPage - first, MADV_HUGEPAGE);
}

[[gnu::noinline]] void* take_from(ScratchSource& source, size_t bytes) {
  void* block = nullptr;
  void* const memory = source.take(bytes + 2 * sizeof(Header), &block);
  if (memory == nullptr) return nullptr;
  const uintptr_t place = reinterpret_cast<uintptr_t>(memory) + alignof(Header) - 1;
  auto* const header = reinterpret_cast<Header*>(place / alignof(Header) * alignof(Header));
  *header = {bytes, &source, block};
  return header + 1;
}

}  // namespace

ScratchSource* set_scratch_source(ScratchSource* source) {
  return std::exchange(current_source, source);
}

void prepare_scratch() { kept(); }

namespace scratch_detail {

void* take(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  if (current_source != nullptr) return take_from(*current_source, bytes);
  Header* block = is_kept(bytes) ? kept().find(bytes) : nullptr;
  if (block == nullptr) {
    const size_t whole = (bytes + 2 * sizeof(Header) - 1) / sizeof(Header) * sizeof(Header);
    block = static_cast<Header*>(std::aligned_alloc(alignof(Header), whole));
    if (block == nullptr) return nullptr;
    if (whole >= kHugeFrom) wish_for_huge_pages(block, whole);
    *block = {bytes, nullptr, nullptr};
  }
  return block + 1;
}

void give_back(void* memory) {
  Header* const block = static_cast<Header*>(memory) - 1;
  if (block->source != nullptr) return block->source->give_back(block->block);
  is_kept(block->bytes) ? kept().keep(block) : std::free(block);
}

}  // namespace scratch_detail
}  // namespace aclhost
