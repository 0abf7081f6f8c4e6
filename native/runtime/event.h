// SPDX-License-Identifier: Apache-2.0
// Events: marks in streams that other streams and the host can wait for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "acl/acl_base.h"
#include "base/registry.h"
#include "runtime/task_queue.h"

namespace aclhost {

class Capture;
class SharedEvent;

// One record of an event. Waiters hold it, so that destroying or recording the event again leaves
// them alone.
class Mark {
 public:
  using Clock = std::chrono::steady_clock;

  Mark();
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  uint64_t id() const { return id_; }  // counted from 1, never used again
  void recorded_in(std::shared_ptr<TaskQueue> queue);
  void reach();
  bool reached() const { return reached_.load(std::memory_order_acquire); }
  // Milliseconds, -1 for ever; false if that was too short, or the task that waits was dropped.
  bool wait(int32_t timeout);
  void wait_whole();  // for ever, in any case
  void look_again();  // who waits looks whether its task was dropped
  void forsake();     // the record was dropped; before it is reached
  bool is_forsaken() const { return is_forsaken_.load(std::memory_order_acquire); }
  void hurry();                                     // somebody wants to see it reached
  Clock::time_point time() const { return time_; }  // once reached

 private:
  std::shared_ptr<TaskQueue> source();

  const uint64_t id_;
  std::shared_ptr<TaskQueue> source_;  // whose task will reach it; null if none or nobody knows
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> reached_{false};
  std::atomic<bool> is_forsaken_{false};
  Clock::time_point time_;
};

using MarkPtr = std::shared_ptr<Mark>;

// The three functions that create events make kinds that differ while unrecorded.
enum class EventKind {
  kPlain,  // aclrtCreateEvent
  kFlag,   // aclrtCreateEventWithFlag
  kEx,     // aclrtCreateEventExWithFlag
};

class Event {
 public:
  Event(EventKind kind, uint32_t flags);
  ~Event() {
    if (!recorded_) mark_->reach();  // nobody can record it any more; who waits must go on
  }

  EventKind kind() const { return kind_; }
  uint32_t id() const { return id_; }  // counted from 0
  uint32_t flags() const { return flags_; }
  // A stream that waits for such an event waits for a record still to come.
  bool blocks() const;
  bool has_time() const;

  // What the next record has to reach. It is published when it is queued, not before: else another
  // thread could let the same stream wait for it in front of it.
  MarkPtr next();
  void publish(MarkPtr mark);
  void reset();       // unrecorded again
  MarkPtr latest();   // of the last record, null if there is none
  MarkPtr awaited();  // as latest, or for an event that blocks, that of the next record

  // The capture in which it was recorded last, and the place there; null if there is none.
  void set_captured(std::weak_ptr<Capture> capture, int edge);
  std::shared_ptr<Capture> captured(int* edge);

  // What other processes see of it; null for all but IPC events. Set when it is created.
  void share(std::shared_ptr<SharedEvent> shared) { shared_ = std::move(shared); }
  const std::shared_ptr<SharedEvent>& shared() const { return shared_; }

  std::shared_ptr<std::atomic<int64_t>> waits() const { return waits_; }  // not yet over

 private:
  const EventKind kind_;
  const uint32_t id_;
  const uint32_t flags_;
  std::mutex mutex_;
  MarkPtr overtaken_;  // was reset after it was reached and before it was published
  bool recorded_ = false;
  MarkPtr mark_ = std::make_shared<Mark>();
  std::weak_ptr<Capture> capture_;
  int edge_ = 0;
  std::shared_ptr<SharedEvent> shared_;
  const std::shared_ptr<std::atomic<int64_t>> waits_ = std::make_shared<std::atomic<int64_t>>(0);
};

using EventRegistry = Registry<Event, Kind::kEvent>;
using EventRef = EventRegistry::Ref;

EventRegistry& events();

}  // namespace aclhost
