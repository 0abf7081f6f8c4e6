// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "base/observer.h"
#include "runtime/callback.h"
#include "runtime/context.h"
#include "runtime/schedule.h"

namespace aclhost {
namespace {

std::atomic<int64_t> outstanding{0};

struct QueuedTask {
  Task run;
  bool computes = true;  // as opposed to the tasks that others may be waiting for
};

bool computes(Weight weight) { return weight == Weight::kSmall || weight == Weight::kLarge; }

int32_t next_id() {
  static std::atomic<int32_t> next{0};
  return next++;
}

}  // namespace

Status task_failure(const char* what) {
  return Status::failed({ACL_ERROR_RT_INTERNAL_ERROR, "", "no_exception",
                         std::string("a task of the stream could not finish: ") + what});
}

struct Stream::Queue {
  std::mutex mutex;
  std::condition_variable work;  // a task may begin or the stream closed
  std::condition_variable done;  // a task ended
  Fifo<QueuedTask> tasks;
  uint64_t submitted = 0;
  uint64_t finished = 0;
  bool closed = false;
  bool abandoned = false;
  bool stop_on_failure = false;
  Status first_failure;

  // All that may still have tasks. A stream's end, forced or not, does not end its tasks.
  struct All {
    std::mutex mutex;
    std::vector<std::weak_ptr<Queue>> queues;
  };
  static All& all() {
    static auto& instance = *new All;
    return instance;
  }

  // True if nothing runs, so that the first waiting task may begin.
  bool free() const { return finished + tasks.size() == submitted; }
  bool skips() const { return stop_on_failure && !first_failure.ok(); }

  void finish(Status status) {
    if (first_failure.ok() && !status.ok()) first_failure = std::move(status);
    ++finished;
    outstanding.fetch_sub(1, std::memory_order_release);
    done.notify_all();
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      work.wait(lock, [this] { return tasks.empty() ? closed : free(); });
      if (tasks.empty()) return;
      QueuedTask task = tasks.pop();
      const bool skip = task.computes && skips();
      lock.unlock();
      if (schedule() == Schedule::kStress) stress_delay();
      Status status = skip ? Status() : run(task.run);
      task.run.clear();  // what the task holds goes before anybody is told that it ended
      lock.lock();
      finish(std::move(status));
    }
  }
};

Stream::Stream(int32_t device, uint64_t context_id, StreamConfig config)
    : device_(device),
      context_id_(context_id),
      id_(next_id()),
      config_(config),
      queue_(std::make_shared<Queue>()) {
  Queue::All& all = Queue::all();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto& queues = all.queues;
  queues.erase(std::remove_if(queues.begin(), queues.end(),
                              [](const std::weak_ptr<Queue>& queue) { return queue.expired(); }),
               queues.end());
  queues.push_back(queue_);
}

Stream::~Stream() {
  bool abandoned;
  {
    std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->closed = true;
    queue_->work.notify_all();
    abandoned = queue_->abandoned;
  }
  if (abandoned || on_worker()) {
    if (worker_.joinable()) worker_.detach();
  } else if (worker_.joinable()) {
    worker_.join();
  }
  end_subscription(id_);
  observe([this](Observer& o) { o.stream_ended(id_); });
}

bool Stream::on_worker() const { return worker_.get_id() == std::this_thread::get_id(); }

bool Stream::begin_here(Weight weight) {
  const bool blocking = schedule() == Schedule::kBlocking;
  const bool small = weight == Weight::kSmall || weight == Weight::kMark;
  const bool here = small || (blocking && weight == Weight::kLarge);
  if (!here || schedule() == Schedule::kStress) return false;
  std::lock_guard<std::mutex> lock(queue_->mutex);
  if (queue_->finished != queue_->submitted) return false;
  if (computes(weight) && queue_->skips()) return false;
  ++queue_->submitted;
  outstanding.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Stream::end_here(Status status) {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->finish(std::move(status));
  if (!queue_->tasks.empty()) queue_->work.notify_one();
}

void Stream::enqueue(Weight weight, Task task) {
  {
    std::unique_lock<std::mutex> lock(queue_->mutex);
    if (!worker_.joinable()) {
      try {
        worker_ = std::thread([queue = queue_] { queue->serve(); });
      } catch (const std::system_error&) {
        // No more threads in this process. Running the task here is a legal schedule, too.
        queue_->done.wait(lock, [this] { return queue_->finished == queue_->submitted; });
        ++queue_->submitted;
        outstanding.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        return end_here(run(task));
      }
    }
    queue_->tasks.push({std::move(task), computes(weight)});
    ++queue_->submitted;
    outstanding.fetch_add(1, std::memory_order_relaxed);
    queue_->work.notify_one();
  }
  if (schedule() == Schedule::kBlocking && weight != Weight::kWaiting) wait();
}

bool Stream::wait(int32_t timeout) {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  if (on_worker()) return true;  // a task that waits for itself would wait forever
  const uint64_t target = queue_->submitted;
  const auto reached = [&] { return queue_->finished >= target; };
  if (timeout != kForever) {
    return queue_->done.wait_for(lock, std::chrono::milliseconds(timeout), reached);
  }
  queue_->done.wait(lock, reached);
  return true;
}

int32_t Stream::failure() {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  return report(queue_->first_failure);
}

bool Stream::idle() {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  return queue_->finished == queue_->submitted;
}

Stream::Position Stream::position() {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  Position position;
  position.queue_ = queue_;
  position.target_ = queue_->submitted;
  return position;
}

bool Stream::Position::passed() const {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  return queue_->finished >= target_;
}

void Stream::abandon() {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->abandoned = true;
}

void Stream::stop_on_failure(bool stop) {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->stop_on_failure = stop;
}

StreamRegistry& streams() {
  static auto& registry = *new StreamRegistry;
  return registry;
}

StreamRef find_stream(aclrtStream stream) {
  if (stream != nullptr) return streams().find(stream);
  const ContextRef context = current_context();
  return context ? streams().find(context->default_stream()) : StreamRef();
}

int32_t stream_not_found(const Call& call, aclrtStream stream) {
  return stream == nullptr ? no_context(call) : no_stream(call, stream);
}

std::vector<Stream::Position> Stream::unfinished() {
  std::vector<Position> positions;
  if (outstanding.load(std::memory_order_acquire) == 0) return positions;
  Queue::All& all = Queue::all();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const std::weak_ptr<Queue>& known : all.queues) {
    std::shared_ptr<Queue> queue = known.lock();
    if (queue == nullptr) continue;
    std::lock_guard<std::mutex> queue_lock(queue->mutex);
    if (queue->finished == queue->submitted) continue;
    Position position;
    position.target_ = queue->submitted;
    position.queue_ = queue;
    positions.push_back(std::move(position));
  }
  return positions;
}

std::vector<Stream::Position> unfinished_work() { return Stream::unfinished(); }

}  // namespace aclhost
