// SPDX-License-Identifier: Apache-2.0
// A stream: tasks run one after the other, whichever thread runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "acl/acl_base.h"
#include "base/call.h"
#include "base/registry.h"
#include "base/status.h"
#include "base/threads.h"
#include "runtime/task.h"
#include "runtime/task_queue.h"

namespace aclhost {

struct StreamConfig {
  uint32_t priority = 0;  // kept and given back; one CPU thread is as good as another
  uint32_t flags = 0;
};

class Stream {
 public:
  using Position = TaskQueue::Position;

  Stream(int32_t device, uint64_t context_id, StreamConfig config = {});
  ~Stream();  // waits for the tasks, unless abandoned
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Runs `task`, a Status(), after all earlier ones. A failing task does not stop later ones unless
  // stop_on_failure; the stream keeps the first failure.
  template <typename Task>
  void submit(Weight weight, Task&& task) {
    if (queue_->begin_here(weight)) {
      const NoCancellation whole;  // the stream would stay taken
      queue_->end_here(run_task(task));
    } else {
      queue_->add(weight, std::forward<Task>(task));
    }
  }

  static constexpr int32_t kForever = TaskQueue::kForever;

  // Waits for all tasks submitted before the call, at most as long as the timeout in milliseconds.
  TaskQueue::Ending wait(int32_t timeout = kForever) { return queue_->wait(timeout); }

  // Reports and returns the first failure of the stream's life, or 0.
  int32_t failure() { return queue_->failure(); }

  bool idle() { return queue_->idle(); }
  void abandon() { queue_->abandon(); }  // its end will not wait for the tasks
  // As abandon, and work that has not begun never will; waits only for work that is under way.
  void cancel() { queue_->cancel(); }
  void stop_on_failure(bool stop) { queue_->stop_on_failure(stop); }
  bool stops_on_failure() { return queue_->stops_on_failure(); }
  void interrupt() { queue_->interrupt(); }

  int32_t device() const { return device_; }
  uint64_t context_id() const { return context_id_; }
  int32_t id() const { return id_; }  // counted from 0, never used again
  const StreamConfig& config() const { return config_; }
  const std::shared_ptr<TaskQueue>& queue() const { return queue_; }  // may outlive the stream

 private:
  const int32_t device_;
  const uint64_t context_id_;
  const int32_t id_;
  const StreamConfig config_;
  const std::shared_ptr<TaskQueue> queue_;
};

using StreamRegistry = Registry<Stream, Kind::kStream>;
using StreamRef = StreamRegistry::Ref;

StreamRegistry& streams();

// A null handle means the default stream of the thread's current context. Empty if there is none
// or the handle is not a live stream.
StreamRef find_stream(aclrtStream stream);

// The failure that an empty answer of find_stream means.
int32_t stream_not_found(const Call& call, aclrtStream stream);

}  // namespace aclhost
