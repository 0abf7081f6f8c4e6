// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/strict.h"
#include "runtime/device.h"
#include "runtime/pages.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// Published samples describe tensors larger than the buffers they allocated. Hardware hides that
// with its large pages, so zeros have to follow every allocation here as well.
constexpr size_t kTail = 64 * 1024;
constexpr size_t kMostPadding = 64;

std::atomic<uint64_t> free_count{0};

struct Entry {
  Allocation allocation;
  size_t charged;  // against the device's memory
  bool freed = false;
  uint64_t freed_at = 0;  // the number of its free
};

// Freed pages that queued tasks may still touch.
struct Remains {
  uintptr_t start;
  std::vector<Stream::Position> users;

  bool unused() const {
    for (const Stream::Position& user : users) {
      if (!user.passed()) return false;
    }
    return true;
  }
};

Pages pages_of(MemoryKind kind) {
  if (!is_strict()) return Pages::kOpen;
  return kind == MemoryKind::kDevice ? Pages::kHidden : Pages::kMirrored;
}

struct Allocations {
  std::mutex mutex;
  std::map<uintptr_t, Entry> by_address;
  std::deque<Remains> remains;
  int64_t live = 0;
  size_t used[kMaxDevices] = {};

  Entry* at(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    auto after = by_address.upper_bound(address);
    if (after == by_address.begin()) return nullptr;
    Entry& entry = (--after)->second;
    return address - entry.allocation.start < entry.allocation.mapped ? &entry : nullptr;
  }

  void unmap(uintptr_t start) {
    const auto found = by_address.find(start);
    const Allocation& old = found->second.allocation;
    unmap_pages(reinterpret_cast<void*>(start), old.mapped, pages_of(old.kind));
    by_address.erase(found);
  }

  void sweep() {
    while (!remains.empty() && remains.front().unused()) {
      unmap(remains.front().start);
      remains.pop_front();
    }
  }
};

Allocations& allocations() {
  static auto& instance = *new Allocations;
  return instance;
}

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool inside(const Allocation& allocation, const void* pointer, size_t size) {
  const size_t offset = reinterpret_cast<uintptr_t>(pointer) - allocation.start;
  return size <= allocation.mapped - offset;
}

}  // namespace

size_t largest_allocation() { return SIZE_MAX - 2 * (kTail + page_size()) - kMostPadding; }

void* allocate(size_t size, size_t padding, MemoryKind kind, int32_t device) {
  if (size > largest_allocation()) return nullptr;
  const size_t rounded = round_up(size, 32) + padding;
  const size_t mapped = round_up(rounded + kTail, page_size());
  const size_t charged = kind == MemoryKind::kDevice ? rounded : 0;
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.sweep();
  if (charged > device_memory() - all.used[device]) return nullptr;
  void* memory = map_pages(mapped, pages_of(kind));
  if (memory == nullptr) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(memory);
  all.by_address[start] = {{start, size, mapped, kind, device}, charged};
  all.used[device] += charged;
  ++all.live;
  return memory;
}

bool release(void* pointer, MemoryKind kind) {
  std::vector<Stream::Position> users = unfinished_work();
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.sweep();
  const auto found = all.by_address.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.by_address.end()) return false;
  Entry& entry = found->second;
  if (entry.freed || entry.allocation.kind != kind) return false;
  entry.freed = true;
  entry.freed_at = free_count.fetch_add(1, std::memory_order_acq_rel) + 1;
  --all.live;
  all.used[entry.allocation.device] -= entry.charged;
  all.remains.push_back({found->first, std::move(users)});
  all.sweep();
  return true;
}

bool find_allocation(const void* pointer, Allocation* found) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  const Entry* entry = all.at(pointer);
  if (entry == nullptr || entry->freed) return false;
  *found = entry->allocation;
  return true;
}

bool leaves_allocation(const void* pointer, size_t size) {
  Allocation found;
  return find_allocation(pointer, &found) && !inside(found, pointer, size);
}

uint64_t frees() { return free_count.load(std::memory_order_acquire); }

bool is_mapped(const void* pointer, size_t size, uint64_t asked) {
  {
    Allocations& all = allocations();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (const Entry* entry = all.at(pointer)) {
      if (entry->freed && entry->freed_at <= asked) return false;
      return inside(entry->allocation, pointer, size);
    }
  }
  // Memory of the program itself. The kernel answers ENOMEM where any page is missing.
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const uintptr_t first = address / page_size() * page_size();
  if (size > UINTPTR_MAX - address) return false;
  return msync(reinterpret_cast<void*>(first), address + size - first, MS_ASYNC) == 0;
}

size_t used_device_memory(int32_t device) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.used[device];
}

int64_t live_allocations() {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.live;
}

}  // namespace aclhost
