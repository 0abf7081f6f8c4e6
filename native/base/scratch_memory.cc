// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_memory.h"

#include <pthread.h>
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

// What a thread keeps. Freed by a key: a thread_local object with a destructor would end the
// process where there is no memory to note the destructor.
__constinit thread_local Header* kept[kBlocks] = {};
thread_local int next_to_go = 0;     // where there is no room for another one
thread_local bool is_noted = false;  // that they have to be freed

pthread_key_t key;
bool has_key = false;

__attribute__((constructor)) void prepare() {
  has_key = pthread_key_create(&key, [](void*) {
              is_noted = false;
              for (Header*& each : kept) std::free(std::exchange(each, nullptr));
            }) == 0;
}

bool note() {
  is_noted = is_noted || (has_key && pthread_setspecific(key, kept) == 0);
  return is_noted;
}

// One that is large enough, but not far too large. Null: there is none.
Header* find_kept(size_t bytes) {
  for (Header*& each : kept) {
    if (each != nullptr && each->bytes >= bytes && each->bytes / 2 <= bytes) {
      return std::exchange(each, nullptr);
    }
  }
  return nullptr;
}

void keep(Header* block) {
  for (Header*& each : kept) {
    if (each == nullptr) {
      each = block;
      return;
    }
  }
  std::free(std::exchange(kept[next_to_go], block));
  next_to_go = (next_to_go + 1) % kBlocks;
}

bool is_worth_keeping(size_t bytes) { return bytes >= kLeastKept && bytes <= kMostKept; }

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

namespace scratch_detail {

void* take(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  if (current_source != nullptr) return take_from(*current_source, bytes);
  Header* block = is_worth_keeping(bytes) ? find_kept(bytes) : nullptr;
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
  is_worth_keeping(block->bytes) && note() ? keep(block) : std::free(block);
}

}  // namespace scratch_detail
}  // namespace aclhost
