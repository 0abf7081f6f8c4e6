// SPDX-License-Identifier: Apache-2.0
#include "observe/pinned_guards.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace aclhost {
namespace {

constexpr size_t kMostGuards = 1024;  // of an allocation; more copies go unguarded

uintptr_t page_size() {
  static const auto size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uintptr_t round_down(uintptr_t address) { return address / page_size() * page_size(); }
uintptr_t round_up(uintptr_t address) { return round_down(address + page_size() - 1); }

// Allocations start and end at pages of their own.
Run whole_pages(const Run& whole, const Run& used) {
  const uintptr_t begin = used.begin <= whole.begin ? whole.begin : round_up(used.begin);
  const uintptr_t end = used.end >= whole.end ? round_up(whole.end) : round_down(used.end);
  return {begin, std::max(begin, end)};
}

void protect(const Run& pages, int access) {
  mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, access);
}

void close_pages(const PinnedGuard& guard) {
  protect(guard.pages, guard.reading_allowed ? PROT_READ : PROT_NONE);
}

void open_pages(const PinnedGuard& guard) { protect(guard.pages, PROT_READ | PROT_WRITE); }

}  // namespace

void PinnedGuards::add(const Run& whole, const std::vector<Run>& runs, const PinnedGuard& guard) {
  for (const Run& run : runs) {
    PinnedGuard added = guard;
    added.pages = whole_pages(whole, run);
    if (added.pages.begin == added.pages.end) continue;
    const auto again = std::find_if(guards_.begin(), guards_.end(), [&](const PinnedGuard& old) {
      return old.pages.begin == added.pages.begin && old.pages.end == added.pages.end &&
             old.reading_allowed == added.reading_allowed &&
             old.moment.stream == added.moment.stream;
    });
    if (again != guards_.end()) {
      *again = added;
    } else if (guards_.size() < kMostGuards) {
      guards_.push_back(added);
      close(added.pages);
    }
  }
}

// Guards that forbid reading come last, so that they win where several meet.
void PinnedGuards::close(const Run& pages) const {
  for (const bool reading_allowed : {true, false}) {
    for (const PinnedGuard& guard : guards_) {
      const bool meets = guard.pages.begin < pages.end && pages.begin < guard.pages.end;
      if (meets && guard.reading_allowed == reading_allowed) close_pages(guard);
    }
  }
}

void PinnedGuards::open_awaited(const Order& order) {
  for (size_t i = guards_.size(); i-- > 0;) {
    if (!order.before_host(guards_[i].moment)) continue;
    const Run pages = guards_[i].pages;
    open_pages(guards_[i]);
    guards_[i] = guards_.back();
    guards_.pop_back();
    close(pages);
  }
}

const PinnedGuard* PinnedGuards::open_at(uintptr_t address) {
  const PinnedGuard* met = nullptr;
  for (const PinnedGuard& guard : guards_) {
    const bool inside = address >= guard.pages.begin && address < guard.pages.end;
    if (inside && (met == nullptr || !guard.reading_allowed)) met = &guard;
  }
  if (met == nullptr) return nullptr;
  met_ = *met;
  for (const PinnedGuard& guard : guards_) open_pages(guard);
  guards_.clear();
  return &met_;
}

}  // namespace aclhost
