// SPDX-License-Identifier: Apache-2.0
// Pinned memory that queued copies use: the program has no access to it until it has awaited them.
//
// Only whole pages can be guarded, so those are whose bytes of the allocation the copy uses all.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/order.h"
#include "observe/place.h"
#include "observe/runs.h"

namespace aclhost {

// A copy into the memory forbids to read and to write it, a copy from it only to write.
struct PinnedGuard {
  Run pages;
  bool reading_allowed;
  Moment moment;
  const char* call;
  Place place;  // where the copy was queued
};

class PinnedGuards {
 public:
  // `whole` is the allocation, `runs` the bytes that a copy uses.
  void add(const Run& whole, const std::vector<Run>& runs, const PinnedGuard& guard);
  void open_awaited(const Order& order);
  // The guard that an access has met, with all guards of the allocation opened; null if none has.
  const PinnedGuard* open_at(uintptr_t address);
  bool empty() const { return guards_.empty(); }

 private:
  void close(const Run& pages) const;

  std::vector<PinnedGuard> guards_;
  PinnedGuard met_{};
};

}  // namespace aclhost
