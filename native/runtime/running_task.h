// SPDX-License-Identifier: Apache-2.0
// Which task a thread runs, so that it can learn that nobody wants it any more.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/task_queue.h"

namespace aclhost {

class TaskQueue::Running {
 public:
  Running(TaskQueue& queue, uint64_t number)
      : queue_(queue), number_(number), outer_(std::exchange(innermost, this)) {}
  ~Running() { innermost = outer_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  TaskQueue& queue() const { return queue_; }
  bool is_dropped() const { return queue_.is_dropped(number_); }

  static thread_local const Running* innermost;

 private:
  TaskQueue& queue_;
  const uint64_t number_;
  const Running* const outer_;
};

}  // namespace aclhost
