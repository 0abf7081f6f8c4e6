// SPDX-License-Identifier: Apache-2.0
// What strict mode knows about every allocation.
#pragma once

#include <cstdint>
#include <map>

#include "base/observer.h"
#include "observe/order.h"
#include "observe/pinned_guards.h"
#include "observe/place.h"
#include "observe/remembered.h"
#include "observe/runs.h"
#include "observe/uses.h"
#include "observe/written_bytes.h"

namespace aclhost {

struct Shadow {
  uintptr_t begin = 0;
  size_t size = 0;
  int32_t device = kNoDevice;
  Place allocated;
  WrittenBytes written;  // only of device memory
  PendingUses uses;
  PinnedGuards guards;  // only of pinned memory

  bool on_device() const { return device != kNoDevice; }
  uintptr_t end() const { return begin + size; }
  void write(const Runs& runs);
  // The first byte of the runs that nobody wrote, as an offset; -1 if there is none.
  int64_t first_unwritten(const Runs& runs) const;
};

struct FreedShadow {
  uintptr_t begin = 0;
  size_t size = 0;
  Place allocated;
  Place freed;

  bool contains(uintptr_t address) const { return address - begin < size; }
};

class Shadows {
 public:
  void add(Shadow shadow);
  // The record stays for a while among the freed ones.
  void free(const Shadow& shadow, const Place& place);
  Shadow* at(const void* start);         // the allocation that starts there
  Shadow* live(uintptr_t address);       // that an address lies in, or lies just behind
  Shadow* following(uintptr_t address);  // that begins next
  Shadow* of(const Runs& runs);          // that they begin in, or just in front of, or reach
  const FreedShadow* freed(uintptr_t address) const;
  std::map<uintptr_t, Shadow>& all() { return live_; }

 private:
  std::map<uintptr_t, Shadow> live_;
  Remembered<uintptr_t, FreedShadow> freed_;
};

}  // namespace aclhost
