// SPDX-License-Identifier: Apache-2.0
#include "runtime/task_queue.h"

#include <algorithm>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "base/errors.h"
#include "base/threads.h"
#include "runtime/prompter.h"
#include "runtime/running_task.h"
#include "runtime/schedule.h"

namespace aclhost {
namespace {

std::atomic<int64_t> outstanding{0};  // tasks, in all streams

bool computes(Weight weight) { return weight != Weight::kMark && weight != Weight::kWaiting; }

// Whose task this thread runs although it is not the stream's: programs are told of failures there.
// What they do then may run a task of another stream, inside of the first one.
thread_local const TaskQueue* innermost = nullptr;

Status thread_ended() { return task_failure("a function of the program ended its thread"); }

}  // namespace

Status task_failure(const char* what) noexcept {
  try {
    return Status::failed({ACL_ERROR_RT_INTERNAL_ERROR, "", "no_exception",
                           std::string("a task of the stream could not finish: ") + what});
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory();
  }
}

struct TaskQueue::All {
  std::mutex mutex;
  std::vector<std::weak_ptr<TaskQueue>> queues;

  void add(const std::shared_ptr<TaskQueue>& queue) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto is_gone = [](const std::weak_ptr<TaskQueue>& known) { return known.expired(); };
    queues.erase(std::remove_if(queues.begin(), queues.end(), is_gone), queues.end());
    queues.push_back(queue);
  }

  template <typename Visit>
  void for_each(const Visit& visit) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const std::weak_ptr<TaskQueue>& known : queues) {
      if (const std::shared_ptr<TaskQueue> queue = known.lock()) visit(queue);
    }
  }
};

Immortal<TaskQueue::All> TaskQueue::all;

// A function of the program may end the thread that runs it. The stream goes on in another one.
class TaskQueue::Succession {
 public:
  explicit Succession(TaskQueue& queue) : queue_(&queue) {}
  ~Succession() {
    if (queue_ != nullptr) queue_->succeed();
  }
  void cancel() { queue_ = nullptr; }

 private:
  TaskQueue* queue_;
};

std::shared_ptr<TaskQueue> TaskQueue::make() {
  auto queue = std::make_shared<TaskQueue>();
  all->add(queue);
  return queue;
}

std::vector<TaskQueue::Position> TaskQueue::users_of(const MemoryRange& range) {
  std::vector<Position> users;
  if (outstanding.load(std::memory_order_acquire) == 0) return users;
  all->for_each([&](const std::shared_ptr<TaskQueue>& queue) {
    std::lock_guard<std::mutex> lock(queue->mutex_);
    const uint64_t last = queue->last_use_of(range);
    if (last == 0) return;
    Position position;
    position.target_ = last;
    position.queue_ = queue;
    users.push_back(std::move(position));
  });
  return users;
}

bool TaskQueue::prompt_all() {
  bool nothing_lies = true;
  all->for_each([&](const std::shared_ptr<TaskQueue>& queue) {
    std::unique_lock<std::mutex> lock(queue->mutex_, std::try_to_lock);
    if (lock.owns_lock() && (queue->tasks_.empty() || !queue->free())) return;
    nothing_lies = false;
    if (!lock.owns_lock()) return;
    queue->hands_over_ = true;
    queue->wake_worker();
  });
  return nothing_lies;
}

bool TaskQueue::begin_here(Weight weight) {
  const bool blocking = schedule() == Schedule::kBlocking;
  const bool small = weight == Weight::kSmall || weight == Weight::kMark;
  const bool here = small || (blocking && computes(weight));
  if (!here || schedule() == Schedule::kStress) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  if (finished_ != submitted_) return false;
  if (computes(weight) && skips()) return false;
  begin();
  enter();
  return true;
}

void TaskQueue::end_here(Status status) {
  std::lock_guard<std::mutex> lock(mutex_);
  leave();
  finish(std::move(status));
  wake_worker();
}

void TaskQueue::add(Weight weight, Task task) {
  bool may_lie = weight != Weight::kWaiting && weight != Weight::kLong;
  may_lie = may_lie && schedule() != Schedule::kStress;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!has_worker()) {
      // No more threads in this process. Running the task here is a legal schedule, too.
      sleep(lock, submitted_, Clock::time_point::max());
      begin();
      enter();
      lock.unlock();
      return run_here(task);
    }
    tasks_.push({std::move(task), weight});
    begin();
    hands_over_ = hands_over_ || tasks_.size() >= kMostLying;
    may_lie = may_lie && !hands_over_;
    if (!may_lie) wake_worker();
  }
  if (may_lie && !prompt_later()) hand_over();
  if (schedule() == Schedule::kBlocking && weight != Weight::kWaiting) wait(kForever);
}

// Also where the task ends the thread.
void TaskQueue::run_here(Task& task) {
  struct Ending {
    TaskQueue& queue;
    Status status;
    ~Ending() { queue.end_here(std::move(status)); }
  } ending{*this, thread_ended()};
  ending.status = run_task(task);
}

TaskQueue::Ending TaskQueue::wait(int32_t timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t drops = drops_ended_;
  const bool in_time = wait(lock, timeout);
  return {in_time, drops_begun_ > drops ? drop_code_ : 0, !first_failure_.ok()};
}

bool TaskQueue::wait(std::unique_lock<std::mutex>& lock, int32_t timeout) {
  // A task that waits for itself would wait forever.
  if (on_worker() || runs_here()) return true;
  const uint64_t target = submitted_;
  if (timeout != kForever) {
    wake_worker();  // who has a limit cannot begin a task that may be longer
    sleep(lock, target, Clock::now() + std::chrono::milliseconds(timeout));
    return finished_ >= target;
  }
  while (finished_ < target && can_help()) help_next(lock);
  wake_worker();
  sleep(lock, target, Clock::time_point::max());
  return true;
}

void TaskQueue::help(const std::atomic<bool>& reached) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!reached.load(std::memory_order_acquire) && can_help()) help_next(lock);
  wake_worker();
}

void TaskQueue::hand_over() {
  std::lock_guard<std::mutex> lock(mutex_);
  wake_worker();
}

bool TaskQueue::idle() {
  std::lock_guard<std::mutex> lock(mutex_);
  wake_worker();  // who asks wants to see an end
  return finished_ == submitted_;
}

bool TaskQueue::Position::passed() const {
  std::lock_guard<std::mutex> lock(queue_->mutex_);
  return queue_->finished_ >= target_;
}

int32_t TaskQueue::failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  return report(first_failure_);
}

void TaskQueue::stop_on_failure(bool stop) {
  std::lock_guard<std::mutex> lock(mutex_);
  stops_on_failure_ = stop;
}

void TaskQueue::abandon() {
  std::lock_guard<std::mutex> lock(mutex_);
  abandoned_ = true;
}

void TaskQueue::cancel() {
  std::unique_lock<std::mutex> lock(mutex_);
  abandoned_ = cancelled_ = true;
  if (computing_ && !on_worker()) sleep(lock, finished_ + 1, Clock::time_point::max());
}

void TaskQueue::close() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool waits = worker_.joinable() && !abandoned_ && !on_worker();
  if (waits) {
    lock.unlock();
    wait(kForever);
    lock.lock();
  }
  closed_ = true;
  work_.notify_all();
  lock.unlock();
  if (waits) {
    worker_.join();
  } else if (worker_.joinable()) {
    worker_.detach();
  }
}

bool TaskQueue::can_help() const {
  return !tasks_.empty() && free() && tasks_.at(0).weight != Weight::kWaiting &&
         schedule() != Schedule::kStress;
}

uint64_t TaskQueue::last_use_of(const MemoryRange& range) const {
  const uint64_t waiting_from = submitted_ - tasks_.size();
  if (tasks_.size() > kMostLooked) return submitted_;
  for (size_t place = cancelled_ ? 0 : tasks_.size(); place > 0; --place) {
    if (tasks_.at(place - 1).run.touches(range)) return waiting_from + place;
  }
  const bool runs = finished_ != waiting_from;
  return runs && (running_ == nullptr || running_->touches(range)) ? waiting_from : 0;
}

bool TaskQueue::has_worker() {
  if (worker_.joinable()) return true;
  try {
    worker_ = start();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// If it has something to do.
void TaskQueue::wake_worker() {
  if (tasks_.empty() ? closed_ : free()) work_.notify_one();
}

void TaskQueue::begin() {
  ++submitted_;
  outstanding.fetch_add(1, std::memory_order_relaxed);
}

void TaskQueue::finish(Status status) {
  if (first_failure_.ok() && !status.ok()) first_failure_ = std::move(status);
  ++finished_;
  outstanding.fetch_sub(1, std::memory_order_release);
  if (finished_ < awaited_) return;
  awaited_ = kNobody;
  done_.notify_all();
}

void TaskQueue::run_next(std::unique_lock<std::mutex>& lock, bool as_worker) {
  Queued task = tasks_.pop();
  const uint64_t number = submitted_ - tasks_.size();
  const bool skip = computes(task.weight) && (skips() || is_dropped(number));
  running_ = &task.run;
  computing_ = computes(task.weight);
  lock.unlock();
  Status status;
  {
    Succession succession(*this);
    const Running running(*this, number);
    if (!as_worker) succession.cancel();
    if (schedule() == Schedule::kStress) stress_delay();
    if (!skip) status = run_task(task.run);
    succession.cancel();
  }
  lock.lock();
  running_ = nullptr;
  computing_ = false;
  task.run.clear();  // what the task holds goes before anybody is told that it ended
  finish(is_dropped(number) ? Status() : std::move(status));
}

void TaskQueue::help_next(std::unique_lock<std::mutex>& lock) {
  const NoCancellation whole;  // the stream would stay taken
  hands_over_ = false;
  enter();
  run_next(lock, false);
  leave();
}

void TaskQueue::enter() { outer_ = std::exchange(innermost, this); }

void TaskQueue::leave() { innermost = outer_; }

bool TaskQueue::runs_here() const {
  const TaskQueue* queue = innermost;
  while (queue != nullptr && queue != this) queue = queue->outer_;
  return queue == this;
}

// Until so many tasks are finished.
void TaskQueue::sleep(std::unique_lock<std::mutex>& lock, uint64_t target,
                      Clock::time_point until) {
  const bool has_limit = until != Clock::time_point::max();
  while (finished_ < target) {
    awaited_ = std::min(awaited_, target);
    // Not wait(), which older libraries declare noexcept, so that a cancelled thread would end the
    // process.
    if (!has_limit) {
      done_.wait_for(lock, std::chrono::hours(1));
    } else if (done_.wait_until(lock, until) == std::cv_status::timeout) {
      return;
    }
  }
}

void TaskQueue::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  worker_id_ = std::this_thread::get_id();
  while (true) {
    wait_for_ever(work_, lock, [this] { return tasks_.empty() ? closed_ : free(); });
    if (tasks_.empty()) return;
    run_next(lock, true);
  }
}

std::thread TaskQueue::start() {
  const SignalsBlocked blocked;
  return std::thread([queue = shared_from_this()] { queue->serve(); });
}

void TaskQueue::succeed() {
  std::lock_guard<std::mutex> lock(mutex_);
  running_ = nullptr;
  worker_id_ = {};
  finish(thread_ended());
  try {
    start().detach();
  } catch (const std::exception&) {
    // Nobody can run them; whoever waits must not wait for ever.
    for (; !tasks_.empty(); tasks_.pop()) finish(Status::out_of_memory());
  }
}

}  // namespace aclhost
