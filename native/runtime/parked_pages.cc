// SPDX-License-Identifier: Apache-2.0
#include "runtime/parked_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace aclhost {
namespace {

constexpr size_t kSmallest = size_t{128} << 10;  // below, moving pages costs more than new ones
constexpr size_t kLargest = size_t{32} << 20;  // above, clearing all may cost more than using some
constexpr size_t kMostBytes = size_t{128} << 20;
constexpr size_t kMostRegions = 64;

// Addresses that nobody else gets until something is put there.
void* reserve(size_t size) {
  void* place = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

bool move(void* pages, size_t size, void* place) {
  return mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}

}  // namespace

bool ParkedPages::park(void* pages, size_t size) {
  if (size < kSmallest || size > kLargest) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    regions_.reserve(kMostRegions + 1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  void* place = reserve(size);
  if (place == nullptr) return false;
  if (!move(pages, size, place)) {
    munmap(place, size);
    return false;
  }
  regions_.push_back({place, size});
  bytes_ += size;
  while (bytes_ > kMostBytes || regions_.size() > kMostRegions) {
    const Region oldest = regions_.front();
    regions_.erase(regions_.begin());
    bytes_ -= oldest.size;
    munmap(oldest.pages, oldest.size);
  }
  return true;
}

bool ParkedPages::take(void* place, size_t size) {
  if (size < kSmallest || size > kLargest) return false;
  void* pages;
  {
    // The latest is the one that the processor's caches may still hold.
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(regions_.rbegin(), regions_.rend(),
                                    [size](const Region& region) { return region.size == size; });
    if (found == regions_.rend()) return false;
    pages = found->pages;
    regions_.erase(std::next(found).base());
    bytes_ -= size;
  }
  if (!move(pages, size, place)) {
    munmap(pages, size);
    return false;
  }
  std::memset(place, 0, size);
  return true;
}

}  // namespace aclhost
