// SPDX-License-Identifier: Apache-2.0
#include "runtime/pages.h"

#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "base/strict.h"
#include "runtime/parked_pages.h"

namespace aclhost {
namespace {

constexpr int kAccess = PROT_READ | PROT_WRITE;
constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Where to ask the kernel for pages. Walking through a range means that an address comes back only
// after terabytes, so that a second free of a pointer does not hit a newer allocation.
class Walk {
 public:
  constexpr Walk(uintptr_t begin, uintptr_t end) : begin_(begin), end_(end), next_(begin) {}

  bool contains(uintptr_t address) const { return address >= begin_ && address < end_; }

  void* next(size_t size, size_t alignment) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (size > end_ - begin_) return nullptr;
    next_ = (next_ + alignment - 1) / alignment * alignment;
    if (next_ > end_ || size > end_ - next_) next_ = begin_;
    return reinterpret_cast<void*>(std::exchange(next_, next_ + size));
  }

 private:
  const uintptr_t begin_;
  const uintptr_t end_;
  std::mutex mutex_;
  uintptr_t next_;
};

// Hidden ranges have their pages at a fixed distance.
constexpr uintptr_t kHiddenBegin = 0x200000000000;
constexpr uintptr_t kDistance = 0x100000000000;
Walk hidden_walk(kHiddenBegin, kHiddenBegin + kDistance);
Walk open_walk(kHiddenBegin + 2 * kDistance, kHiddenBegin + 3 * kDistance);

// From this size on, pages of 2 MiB save most of the faults.
constexpr size_t kHugeFrom = size_t{4} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kPage = 4096;

ParkedPages& parked() {
  static auto& instance = *new ParkedPages;
  return instance;
}

void* map_hidden(size_t size) {
  void* address = hidden_walk.next(size, kPage);
  if (address == nullptr) return nullptr;
  constexpr int kExactly = kPrivate | MAP_FIXED_NOREPLACE;
  if (mmap(address, size, PROT_NONE, kExactly, -1, 0) != address) return nullptr;
  void* pages = reachable(address);
  if (mmap(pages, size, kAccess, kExactly, -1, 0) == pages) return address;
  munmap(address, size);
  return nullptr;
}

}  // namespace

void* map_pages(size_t size, bool hidden) {
  if (hidden) return map_hidden(size);
  // A wish only: where the kernel cannot grant it, any other address will do.
  void* wish = open_walk.next(size, size >= kHugeFrom ? kHugePage : kPage);
  void* pages = mmap(wish, size, kAccess, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (!parked().take(pages, size) && size >= kHugeFrom) madvise(pages, size, MADV_HUGEPAGE);
  return pages;
}

void unmap_pages(void* pages, size_t size, bool hidden) {
  if (!hidden && parked().park(pages, size)) return;
  if (hidden) munmap(reachable(pages), size);
  munmap(pages, size);
}

bool is_hidden(const void* address) {
  return is_strict() && hidden_walk.contains(reinterpret_cast<uintptr_t>(address));
}

void* reachable(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return reinterpret_cast<void*>(is_hidden(address) ? number + kDistance : number);
}

}  // namespace aclhost
