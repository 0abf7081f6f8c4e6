// SPDX-License-Identifier: Apache-2.0
#include "observe/uses.h"

#include <algorithm>
#include <utility>

namespace aclhost {
namespace {

constexpr size_t kScatteredFrom = 64;  // runs
constexpr size_t kMostScattered = 32;  // views; beyond, the oldest is broken into pieces

bool same(const std::vector<Run>& a, const std::vector<Run>& b) {
  const auto equal = [](const Run& one, const Run& other) {
    return one.begin == other.begin && one.end == other.end;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

bool covers(const std::vector<Run>& a, const std::vector<Run>& b) {
  return a.size() == 1 && a.front().begin <= b.front().begin && a.front().end >= b.back().end;
}

}  // namespace

void LatestUses::add(const RunsPtr& runs, const PendingUsePtr& use) {
  latest_ = use->moment;
  if (runs->size() >= kScatteredFrom) return add_scattered(runs, use);
  const auto gone = [&](const Scattered& view) { return covers(*runs, *view.runs); };
  scattered_.erase(std::remove_if(scattered_.begin(), scattered_.end(), gone), scattered_.end());
  for (const Run& run : *runs) put(run, use);
}

void LatestUses::add_scattered(const RunsPtr& runs, const PendingUsePtr& use) {
  const auto again = std::find_if(scattered_.begin(), scattered_.end(),
                                  [&](const Scattered& view) { return same(*view.runs, *runs); });
  if (again != scattered_.end()) {
    again->use = use;
    return;
  }
  if (scattered_.size() == kMostScattered) {
    // It may lie over newer pieces, which can hide a race but not invent one.
    for (const Run& run : *scattered_.front().runs) put(run, scattered_.front().use);
    scattered_.erase(scattered_.begin());
  }
  scattered_.push_back({runs, use});
}

// What lies under the run gives way; pieces that reach beyond it keep the rest.
void LatestUses::put(const Run& run, const PendingUsePtr& use) {
  auto at = pieces_.lower_bound(run.begin);
  if (at != pieces_.begin()) {
    Piece& left = std::prev(at)->second;
    if (left.end > run.end) pieces_.emplace(run.end, left);
    left.end = std::min(left.end, run.begin);
  }
  at = pieces_.lower_bound(run.begin);
  while (at != pieces_.end() && at->first < run.end) {
    if (at->second.end > run.end) pieces_.emplace(run.end, at->second);
    at = pieces_.erase(at);
  }
  pieces_[run.begin] = {run.end, use};
}

void PendingUses::add(const Order& order, const RunsPtr& runs, const PendingUsePtr& use) {
  ByStream& uses = use->writes ? writes_ : reads_;
  if (uses.count(use->moment.stream) == 0) forget_awaited(order, uses);
  uses[use->moment.stream].add(runs, use);
}

const PendingUse* PendingUses::conflict(const Order& order, const std::vector<Run>& runs,
                                        bool writes, const Moment* moment) {
  forget_awaited(order, writes_);
  if (const PendingUse* use = conflict(order, writes_, runs, moment)) return use;
  if (!writes) return nullptr;
  forget_awaited(order, reads_);
  return conflict(order, reads_, runs, moment);
}

const PendingUse* PendingUses::conflict(const Order& order, const ByStream& uses,
                                        const std::vector<Run>& runs, const Moment* moment) {
  const auto unordered = [&](Moment other) {
    return moment == nullptr ? !order.before_host(other)
                             : !order.before_stream(other, moment->stream);
  };
  for (const auto& [stream, latest] : uses) {
    if (!unordered(latest.latest())) continue;
    const auto counts = [&](const PendingUse& use) { return unordered(use.moment); };
    if (const PendingUse* use = latest.find(runs, counts)) return use;
  }
  return nullptr;
}

const PendingUse* PendingUses::any(const Order& order) {
  for (ByStream* uses : {&writes_, &reads_}) {
    forget_awaited(order, *uses);
    for (const auto& [stream, latest] : *uses) {
      const std::vector<Run> everything{{0, UINTPTR_MAX}};
      const auto counts = [&](const PendingUse& use) { return !order.before_host(use.moment); };
      if (const PendingUse* use = latest.find(everything, counts)) return use;
    }
  }
  return nullptr;
}

void PendingUses::forget_awaited(const Order& order, ByStream& uses) {
  for (auto it = uses.begin(); it != uses.end();) {
    it = order.before_host(it->second.latest()) ? uses.erase(it) : std::next(it);
  }
}

}  // namespace aclhost
