// SPDX-License-Identifier: Apache-2.0
// Queued work that touches an allocation and that the program has not awaited yet.
//
// Of one stream only the latest use of each byte counts: who comes after that one comes after all
// before it. So this is as large as the memory is fragmented, however much was queued.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "observe/order.h"
#include "observe/place.h"
#include "observe/runs.h"

namespace aclhost {

struct PendingUse {
  Moment moment;
  const char* call;
  bool writes;
  Place place;  // where it was queued
};

using PendingUsePtr = std::shared_ptr<const PendingUse>;

// The latest use of every byte, by one stream.
class LatestUses {
 public:
  void add(const RunsPtr& runs, const PendingUsePtr& use);
  Moment latest() const { return latest_; }

  // The first use of any of these bytes that `counts`, a bool(const PendingUse&); or null.
  template <typename Counts>
  const PendingUse* find(const std::vector<Run>& runs, Counts&& counts) const;

 private:
  struct Piece {
    uintptr_t end;
    PendingUsePtr use;
  };
  // A view of many runs, kept whole because it is mostly the same one again.
  struct Scattered {
    RunsPtr runs;
    PendingUsePtr use;
  };

  void put(const Run& run, const PendingUsePtr& use);
  void add_scattered(const RunsPtr& runs, const PendingUsePtr& use);

  std::map<uintptr_t, Piece> pieces_;  // by their begin, without overlaps
  std::vector<Scattered> scattered_;
  Moment latest_{};
};

// Uses by all streams.
class PendingUses {
 public:
  void add(const Order& order, const RunsPtr& runs, const PendingUsePtr& use);

  // A use that is in conflict with one by the program itself (no moment) or by a task.
  const PendingUse* conflict(const Order& order, const std::vector<Run>& runs, bool writes,
                             const Moment* moment);

  // Any use at all that the program has not awaited.
  const PendingUse* any(const Order& order);

 private:
  using ByStream = std::map<int32_t, LatestUses>;

  static void forget_awaited(const Order& order, ByStream& uses);
  static const PendingUse* conflict(const Order& order, const ByStream& uses,
                                    const std::vector<Run>& runs, const Moment* moment);

  ByStream reads_;
  ByStream writes_;
};

template <typename Counts>
const PendingUse* LatestUses::find(const std::vector<Run>& runs, Counts&& counts) const {
  for (const Run& run : runs) {
    auto piece = pieces_.upper_bound(run.begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.end > run.begin) --piece;
    for (; piece != pieces_.end() && piece->first < run.end; ++piece) {
      if (counts(*piece->second.use)) return piece->second.use.get();
    }
  }
  for (const Scattered& view : scattered_) {
    if (counts(*view.use) && intersect(*view.runs, runs)) return view.use.get();
  }
  return nullptr;
}

}  // namespace aclhost
