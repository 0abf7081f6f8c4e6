// SPDX-License-Identifier: Apache-2.0
// Memory as a card would see it: what exists, what was written, what is in use by queued work.
//
// Everything is judged when the program asks for it, not when it happens, so that findings do not
// depend on luck. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "base/observer.h"
#include "observe/findings.h"
#include "observe/order.h"
#include "observe/shadow.h"

namespace aclhost {

class MemoryModel {
 public:
  Order order;

  void allocated(const void* start, size_t size, bool device);
  void freed(const char* call, const void* start, bool found);
  void submitted(const Work& work, int32_t stream);
  void done_here(const Work& work);
  void touched_by_host(const void* address);  // reports an access that faulted
  void report_leaks() const;

 private:
  // What is being checked, and where the program asked for it. A null moment: the program's own
  // thread does it, now.
  struct Use {
    const Work& work;
    const Region& region;
    const std::vector<Run>& runs;
    const Moment* moment;
    const Place& here;

    std::string subject() const { return std::string(work.call) + ": " + region.name; }
    std::string detail() const { return work.detail.empty() ? "" : " (" + work.detail + ")"; }
    uintptr_t first() const { return runs.front().begin; }
    uintptr_t last() const { return runs.back().end; }
    bool is_copy() const { return std::string(work.call).rfind("aclrt", 0) == 0; }
  };

  void check(const Work& work, const Moment* moment);
  void check_memory(const Use& use);
  void check_unknown(const Use& use) const;
  void check_order(const Use& use, Shadow& shadow);
  void check_written(const Use& use, Shadow& shadow);
  void note(const Use& use);
  void bad_free(const char* call, const void* start, const Place& here) const;

  Shadows shadows_;
};

}  // namespace aclhost
