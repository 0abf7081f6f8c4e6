// SPDX-License-Identifier: Apache-2.0
// Streams that wait for an event which nobody has recorded yet.
//
// What is queued behind such a wait happens after a record that is still to come. So it is judged
// then, in the order in which streams can get to it, and not in that of the calls.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>

namespace aclhost {

class BlockedStreams {
 public:
  // `touches` says whether the step uses memory of a range; empty for steps that use none.
  struct Step {
    std::function<void()> happen;
    std::function<bool(uintptr_t begin, uintptr_t end)> touches;
  };

  bool is_blocked(int32_t stream) const { return streams_.count(stream) != 0; }
  // Until the mark is released; `passed` comes before all that is added.
  void block(int32_t stream, uint64_t mark, std::function<void()> passed);
  void add(int32_t stream, Step step) { streams_[stream].steps.push_back(std::move(step)); }

  // Those who wait for the mark go on, each up to its next wait.
  void release(uint64_t mark);
  void end(int32_t stream) { streams_.erase(stream); }

  bool touch(uintptr_t begin, uintptr_t end) const;

 private:
  struct Blocked {
    uint64_t mark = 0;
    std::deque<Step> steps;
  };

  std::unordered_map<int32_t, Blocked> streams_;
};

}  // namespace aclhost
