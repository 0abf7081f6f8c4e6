// SPDX-License-Identifier: Apache-2.0
// A stream: tasks run one after the other on a thread of the stream's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "acl/acl_base.h"
#include "base/registry.h"
#include "base/status.h"

namespace aclhost {

class Stream {
 public:
  Stream(int32_t device, uint64_t context_id);
  ~Stream();  // waits for the tasks
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // A failing task does not stop later ones; the stream keeps the first failure.
  void enqueue(std::function<Status()> task);

  // Waits for all tasks enqueued before the call, without looking at how they ended.
  void wait();

  // Waits, then reports and returns the first failure of the stream's life, or 0.
  int32_t synchronize();

  int32_t device() const { return device_; }
  uint64_t context_id() const { return context_id_; }

 private:
  struct Queue;

  bool on_worker() const;

  const int32_t device_;
  const uint64_t context_id_;
  const std::shared_ptr<Queue> queue_;  // shared with the worker, which may outlive the stream
  std::thread worker_;                  // guarded by the queue's mutex; started by the first task
};

using StreamRegistry = Registry<Stream, Kind::kStream>;
using StreamRef = StreamRegistry::Ref;

StreamRegistry& streams();

// A null handle means the default stream of the thread's current context. Empty if there is none
// or the handle is not a live stream.
StreamRef find_stream(aclrtStream stream);

}  // namespace aclhost
