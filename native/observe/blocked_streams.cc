// SPDX-License-Identifier: Apache-2.0
#include "observe/blocked_streams.h"

#include <utility>
#include <vector>

namespace aclhost {

void BlockedStreams::block(int32_t stream, uint64_t mark, std::function<void()> passed) {
  Blocked& blocked = streams_[stream];
  blocked.mark = mark;
  blocked.steps.push_front({std::move(passed), {}});
}

void BlockedStreams::release(uint64_t mark) {
  if (streams_.empty()) return;
  std::vector<int32_t> released;
  for (const auto& [stream, blocked] : streams_) {
    if (blocked.mark == mark) released.push_back(stream);
  }
  for (const int32_t stream : released) {
    std::deque<Step> steps = std::move(streams_[stream].steps);
    streams_.erase(stream);
    while (!steps.empty() && !is_blocked(stream)) {
      const Step step = std::move(steps.front());
      steps.pop_front();
      step.happen();
    }
    for (Step& step : steps) add(stream, std::move(step));
  }
}

bool BlockedStreams::touch(uintptr_t begin, uintptr_t end) const {
  for (const auto& [stream, blocked] : streams_) {
    for (const Step& step : blocked.steps) {
      if (step.touches && step.touches(begin, end)) return true;
    }
  }
  return false;
}

}  // namespace aclhost
