// SPDX-License-Identifier: Apache-2.0
// Memory as a card would see it: what exists, what was written, what is in use by queued work.
//
// Everything is judged when the program asks for it, not when it happens, so that findings do not
// depend on luck. One thread at a time.
#pragma once

#include <set>
#include <utility>

#include "base/observer.h"
#include "observe/blocked_streams.h"
#include "observe/findings.h"
#include "observe/model_task.h"
#include "observe/order.h"
#include "observe/shadow.h"

namespace aclhost {

class MemoryModel {
 public:
  void allocated(const void* start, size_t size, int32_t device);
  void freed(const char* call, const void* start, bool found);
  void freed_in_stream(const char* call, const void* start, int32_t stream);
  void peer_access(int32_t device, int32_t peer, bool on);

  void submitted(const Work& work, int32_t stream, int32_t device);
  void done_here(const Work& work);

  void recorded(uint64_t mark, int32_t stream);
  void awaits(uint64_t mark, int32_t stream);
  void passed(uint64_t mark) { blocked_.release(mark); }
  void mark_ended(uint64_t mark) { order_.end_mark(mark); }
  void joined_stream(int32_t stream);
  void joined_mark(uint64_t mark);
  void stream_ended(int32_t stream);

  // An access by the program that faulted. True if it may go on.
  bool touched_by_host(const void* address);
  void note_leaks();

 private:
  // What does not depend on the order of streams: whether memory exists and is the right one.
  void check_overlaps(const Work& work, const ModelTask& task) const;
  void check_memory(const Use& use);
  void check_bounds(const Use& use, const Shadow& shadow) const;
  void check_unknown(const Use& use);
  void check_side(const Use& use, const Shadow* shadow) const;
  void check_device(const Use& use, const Shadow& shadow) const;
  void check_devices(const ModelTask& task);
  bool reach(int32_t device, int32_t other) const;

  // What depends on it.
  void happen(const ModelTask& task);
  void check_order(const Use& use, Shadow& shadow);
  void check_written(const Use& use, Shadow& shadow);
  void note_uses(const ModelTask& task);

  void guard_pinned(const ModelTask& task);
  void open_pinned();
  bool touched_pinned(uintptr_t address);
  void bad_free(const char* call, const void* start, const Place& here);
  void end(const Shadow& shadow, const Place& here);

  Order order_;
  Shadows shadows_;
  BlockedStreams blocked_;
  std::set<uintptr_t> guarded_;  // pinned allocations with guards
  std::set<std::pair<int32_t, int32_t>> peers_;
};

}  // namespace aclhost
