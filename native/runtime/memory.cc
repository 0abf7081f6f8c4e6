// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/immortal.h"
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

// Allocations that a thread found lately. They are still there as long as nothing was freed, so
// that it need not look again, under a lock.
struct Seen {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uint64_t frees = 0;
};
constexpr int kSeenBits = 3;
thread_local Seen seen_allocations[1 << kSeenBits];

Seen& seen_at(const void* pointer) {
  constexpr int kPageBits = 12;
  constexpr uint64_t kMixing = 0x9E3779B97F4A7C15u;  // sizes are often powers of two
  const uint64_t page = reinterpret_cast<uint64_t>(pointer) >> kPageBits;
  return seen_allocations[page * kMixing >> (64 - kSeenBits)];
}

struct Entry {
  Allocation allocation;
  size_t charged;  // against the device's memory
  bool adopted = false;
  bool freed = false;
  uint64_t freed_at = 0;  // the number of its free
};

// Note [Memory in use]
// A call may use memory that another thread frees meanwhile, or queue work that uses it. Such calls
// are counted in the epoch in which they begin. The epoch advances when nobody is left in the one
// before; so two steps after a free, all calls that could have seen the memory alive are over, and
// what they queued can be asked whether it touches the memory. Then pages stay for these tasks
// only.
std::atomic<uint64_t> epoch{0};
std::atomic<int64_t> calls_in[2];

void advance_epoch() {
  const uint64_t now = epoch.load();
  if (calls_in[(now + 1) % 2].load() == 0) epoch.store(now + 1);
}

bool are_over(const std::vector<Stream::Position>& users) {
  return std::all_of(users.begin(), users.end(),
                     [](const Stream::Position& user) { return user.passed(); });
}

// Freed pages that calls or queued tasks may still touch.
struct Remains {
  MemoryRange range;
  uint64_t freed_in;  // epoch
  bool asked = false;
  std::vector<Stream::Position> users;  // once asked for

  bool unused() {
    if (epoch.load() < freed_in + 2) return false;
    if (!asked) users = TaskQueue::users_of(range);
    asked = true;
    return are_over(users);
  }
};

Pages pages_of(MemoryKind kind) {
  if (!is_strict() || kind == MemoryKind::kManaged) return Pages::kOpen;
  return kind == MemoryKind::kDevice ? Pages::kHidden : Pages::kMirrored;
}

struct Allocations {
  static constexpr int kLookedAt = 16;  // remains; more are left for the next sweep

  std::mutex mutex;
  std::map<uintptr_t, Entry> by_address;
  std::list<Remains> remains;  // those to be looked at next first
  int64_t live = 0;
  size_t used[kMaxDevices] = {};
  size_t peak[kMaxDevices] = {};

  Entry* at(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    auto after = by_address.upper_bound(address);
    if (after == by_address.begin()) return nullptr;
    Entry& entry = (--after)->second;
    return address - entry.allocation.start < entry.allocation.mapped ? &entry : nullptr;
  }

  // Whether all bytes of a range that begins in the entry can be touched. Memory that was mapped
  // piece by piece is one stretch.
  bool covers(const Entry* entry, const void* pointer, size_t size) const {
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    for (auto next = by_address.find(entry->allocation.start);;) {
      const uintptr_t end = entry->allocation.start + entry->allocation.mapped;
      if (size <= end - begin) return true;
      if (++next == by_address.end() || next->first != end) return false;
      if (!entry->adopted || !next->second.adopted) return false;
      entry = &next->second;
    }
  }

  void unmap(uintptr_t start) {
    const auto found = by_address.find(start);
    const Allocation& old = found->second.allocation;
    unmap_pages(reinterpret_cast<void*>(start), old.mapped, pages_of(old.kind));
    by_address.erase(found);
  }

  void sweep() {
    for (int looks = kLookedAt; looks > 0 && !remains.empty(); --looks) {
      const auto first = remains.begin();
      bool unused = false;
      try {
        unused = first->unused();
      } catch (const std::bad_alloc&) {
        // Asked again by a later sweep.
      }
      if (unused) {
        unmap(first->range.begin);
        remains.erase(first);
      } else {
        remains.splice(remains.end(), remains, first);
      }
    }
  }
};

Immortal<Allocations> all_allocations;

Allocations& allocations() { return *all_allocations; }

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

size_t largest_allocation() { return SIZE_MAX - 2 * (kTail + page_size()) - kMostPadding; }

void* allocate(size_t size, size_t padding, MemoryKind kind, int32_t device) {
  if (size > largest_allocation()) return nullptr;
  const size_t rounded = round_up(size, 32) + padding;
  const size_t mapped = round_up(rounded + kTail, page_size());
  const size_t charged = kind == MemoryKind::kHost ? 0 : rounded;
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  advance_epoch();
  all.sweep();
  if (charged > device_memory() - all.used[device]) return nullptr;
  void* memory = map_pages(mapped, pages_of(kind));
  if (memory == nullptr) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(memory);
  try {
    all.by_address[start] = {{start, size, mapped, kind, device}, charged};
  } catch (const std::bad_alloc&) {
    unmap_pages(memory, mapped, pages_of(kind));
    throw;
  }
  all.used[device] += charged;
  all.peak[device] = std::max(all.peak[device], all.used[device]);
  ++all.live;
  return memory;
}

MemoryUse::MemoryUse() {
  while (true) {
    const uint64_t now = epoch.load();
    place_ = static_cast<int>(now % 2);
    calls_in[place_].fetch_add(1);
    if (epoch.load() == now) return;
    calls_in[place_].fetch_sub(1);
  }
}

MemoryUse::~MemoryUse() { calls_in[place_].fetch_sub(1); }

bool release(void* pointer, MemoryKind kind) {
  Allocations& all = allocations();
  std::list<Remains> freed(1);
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_address.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.by_address.end()) return false;
  Entry& entry = found->second;
  const bool host = entry.allocation.kind == MemoryKind::kHost;
  if (entry.freed || entry.adopted || host != (kind == MemoryKind::kHost)) return false;
  entry.freed = true;
  entry.freed_at = free_count.fetch_add(1) + 1;
  --all.live;
  all.used[entry.allocation.device] -= entry.charged;
  freed.front().range = MemoryRange::of(pointer, entry.allocation.mapped);
  freed.front().freed_in = epoch.load();
  all.remains.splice(all.remains.begin(), freed);
  advance_epoch();
  advance_epoch();
  all.sweep();
  return true;
}

void adopt(void* start, size_t size, int32_t device) {
  const auto address = reinterpret_cast<uintptr_t>(start);
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.by_address[address] = {{address, size, size, MemoryKind::kDevice, device}, 0, true};
}

void disown(void* start) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.by_address.erase(reinterpret_cast<uintptr_t>(start));
  free_count.fetch_add(1);
}

void wait_for_users(const void* start, size_t size) {
  const auto users = TaskQueue::users_of(MemoryRange::of(start, size));
  while (!are_over(users)) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

bool charge(int32_t device, size_t size) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (size > device_memory() - all.used[device]) return false;
  all.used[device] += size;
  all.peak[device] = std::max(all.peak[device], all.used[device]);
  return true;
}

void discharge(int32_t device, size_t size) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.used[device] -= size;
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
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  const Entry* entry = all.at(pointer);
  return entry != nullptr && !entry->freed && !all.covers(entry, pointer, size);
}

uint64_t frees() { return free_count.load(); }

bool is_accessible(const void* pointer, size_t size, Access access, uint64_t asked) {
  Seen& seen = seen_at(pointer);
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  const bool is_known = seen.frees == free_count.load() && seen.begin <= begin;
  if (is_known && begin < seen.end && size <= seen.end - begin) return true;
  {
    Allocations& all = allocations();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (const Entry* entry = all.at(pointer)) {
      if (entry->freed && entry->freed_at <= asked) return false;
      const Allocation& found = entry->allocation;
      if (!entry->freed) seen = {found.start, found.start + found.mapped, free_count.load()};
      return all.covers(entry, pointer, size);
    }
  }
  return accessible(pointer, size, access);
}

size_t used_device_memory(int32_t device) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.used[device];
}

size_t peak_device_memory(int32_t device) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.peak[device];
}

int64_t live_allocations() {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.live;
}

}  // namespace aclhost
