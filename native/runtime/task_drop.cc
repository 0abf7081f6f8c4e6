// SPDX-License-Identifier: Apache-2.0
// How tasks of a stream are dropped, and waits end early.
#include "runtime/event.h"
#include "runtime/running_task.h"
#include "runtime/task_queue.h"

namespace aclhost {

thread_local const TaskQueue::Running* TaskQueue::Running::innermost = nullptr;

bool TaskQueue::is_dropped_here() {
  const Running* running = Running::innermost;
  return running != nullptr && running->is_dropped();
}

TaskQueue::Interruptible::Interruptible(Mark& mark)
    : queue_(Running::innermost == nullptr ? nullptr : &Running::innermost->queue()) {
  if (queue_ == nullptr) return;
  std::lock_guard<std::mutex> lock(queue_->mutex_);
  queue_->waits_for_ = &mark;
}

TaskQueue::Interruptible::~Interruptible() {
  if (queue_ == nullptr) return;
  std::lock_guard<std::mutex> lock(queue_->mutex_);
  queue_->waits_for_ = nullptr;
}

// The caller holds the mutex.
void TaskQueue::end_wait() {
  if (waits_for_ != nullptr) waits_for_->look_again();
}

bool TaskQueue::drop(int32_t timeout, int32_t code) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++drops_begun_;
  drop_code_ = code;
  const uint64_t target = submitted_;
  dropped_ = target;
  end_wait();
  wake_worker();
  if (!on_worker() && !runs_here()) {
    const bool has_limit = timeout != kForever;
    const auto end = Clock::now() + std::chrono::milliseconds(timeout);
    sleep(lock, target, has_limit ? end : Clock::time_point::max());
  }
  ++drops_ended_;
  return finished_ >= target;
}

void TaskQueue::interrupt() {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t begun = submitted_ - tasks_.size();
  if (finished_ == begun) return;  // nothing runs
  interrupted_ = begun;
  end_wait();
}

bool TaskQueue::stops_on_failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  return stops_on_failure_;
}

void TaskQueue::forget_failure() {
  Status forgotten;  // goes without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  std::swap(forgotten, first_failure_);
}

}  // namespace aclhost
