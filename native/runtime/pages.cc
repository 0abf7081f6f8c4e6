// SPDX-License-Identifier: Apache-2.0
#include "runtime/pages.h"

#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "base/immortal.h"
#include "base/strict.h"
#include "runtime/parked_pages.h"

namespace aclhost {
namespace {

constexpr int kAccess = PROT_READ | PROT_WRITE;

// Where to ask the kernel for pages. Walking through a range means that an address comes back only
// after terabytes, so that a second free of a pointer does not hit a newer allocation.
class Walk {
 public:
  constexpr Walk(uintptr_t begin, uintptr_t end) : begin_(begin), end_(end), next_(begin) {}

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

// Hidden and mirrored pages have those that the library uses at a fixed distance.
constexpr uintptr_t kHiddenBegin = 0x200000000000;
constexpr uintptr_t kDistance = 0x100000000000;
constexpr uintptr_t kMirroredBegin = kHiddenBegin + kDistance / 2;
constexpr uintptr_t kGuardedEnd = kHiddenBegin + kDistance;
// Nothing lies in front of the first pages, so that an access there is known for what it is.
constexpr uintptr_t kGap = 64 * 1024;
Walk hidden_walk(kHiddenBegin + kGap, kMirroredBegin);
Walk mirrored_walk(kMirroredBegin + kGap, kGuardedEnd);
Walk open_walk(kHiddenBegin + 2 * kDistance, kHiddenBegin + 3 * kDistance);

// From this size on, pages of 2 MiB save most of the faults.
constexpr size_t kHugeFrom = size_t{4} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kPage = 4096;

Immortal<ParkedPages> parked;

constexpr int kExactly = MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

void* map_hidden(size_t size) {
  void* address = hidden_walk.next(size, kPage);
  if (address == nullptr) return nullptr;
  if (mmap(address, size, PROT_NONE, MAP_PRIVATE | kExactly, -1, 0) != address) return nullptr;
  void* pages = reachable(address);
  if (mmap(pages, size, kAccess, MAP_PRIVATE | kExactly, -1, 0) == pages) return address;
  munmap(address, size);
  return nullptr;
}

void* map_mirrored(size_t size) {
  void* address = mirrored_walk.next(size, kPage);
  if (address == nullptr) return nullptr;
  if (mmap(address, size, kAccess, MAP_SHARED | kExactly, -1, 0) != address) return nullptr;
  // Of an old size of 0 the kernel makes a second view of the same pages.
  void* mirror = reachable(address);
  if (mremap(address, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, mirror) == mirror) return address;
  munmap(address, size);
  return nullptr;
}

}  // namespace

void* map_pages(size_t size, Pages kind) {
  if (kind == Pages::kHidden) return map_hidden(size);
  if (kind == Pages::kMirrored) return map_mirrored(size);
  // A wish only: where the kernel cannot grant it, any other address will do.
  void* wish = open_walk.next(size, size >= kHugeFrom ? kHugePage : kPage);
  void* pages = mmap(wish, size, kAccess, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (!parked->take(pages, size) && size >= kHugeFrom) madvise(pages, size, MADV_HUGEPAGE);
  return pages;
}

void unmap_pages(void* pages, size_t size, Pages kind) {
  if (kind == Pages::kOpen && parked->park(pages, size)) return;
  if (kind != Pages::kOpen) munmap(reachable(pages), size);
  munmap(pages, size);
}

bool is_hidden(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return number >= kHiddenBegin && number < kMirroredBegin && is_strict();
}

bool is_guarded(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return number >= kHiddenBegin && number < kGuardedEnd && is_strict();
}

void* reachable(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return reinterpret_cast<void*>(is_guarded(address) ? number + kDistance : number);
}

}  // namespace aclhost
