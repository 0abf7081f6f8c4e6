// SPDX-License-Identifier: Apache-2.0
// What strict mode knows about every allocation.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "observe/order.h"
#include "observe/place.h"
#include "observe/runs.h"

namespace aclhost {

// Queued work that touches an allocation and that the program has not awaited yet.
struct PendingUse {
  Moment moment;
  bool writes;
  std::vector<Run> runs;
  std::string what;
  Place place;
};

struct Shadow {
  uintptr_t begin = 0;
  size_t size = 0;
  bool device = false;
  Place allocated;
  Place freed;
  std::vector<bool> written;  // by byte; only of device memory
  std::vector<PendingUse> uses;

  uintptr_t end() const { return begin + size; }
  void write(const std::vector<Run>& runs);
  // The first byte of the runs that nobody wrote, as an offset; -1 if there is none.
  int64_t first_unwritten(const std::vector<Run>& runs) const;
};

class Shadows {
 public:
  void add(Shadow shadow);
  // Null if no allocation starts there. The record stays for a while among the freed ones.
  Shadow* free(const void* start, const Place& place);
  Shadow* live(uintptr_t address);  // the allocation that an address lies in, or lies just behind
  const Shadow* freed(uintptr_t address) const;
  const std::map<uintptr_t, Shadow>& all() const { return live_; }

 private:
  std::map<uintptr_t, Shadow> live_;
  std::deque<Shadow> freed_;
};

}  // namespace aclhost
