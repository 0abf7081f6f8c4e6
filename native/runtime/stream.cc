// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "base/immortal.h"
#include "base/observer.h"
#include "base/threads.h"
#include "runtime/callback.h"
#include "runtime/context.h"
#include "runtime/schedule.h"

namespace aclhost {
namespace {

__constinit StreamRegistry all_streams;
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

Status task_failure(const char* what) noexcept {
  try {
    return Status::failed({ACL_ERROR_RT_INTERNAL_ERROR, "", "no_exception",
                           std::string("a task of the stream could not finish: ") + what});
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory();
  }
}

struct Stream::Queue : std::enable_shared_from_this<Queue> {
  std::mutex mutex;
  std::condition_variable work;  // a task may begin or the stream closed
  std::condition_variable done;  // a task ended
  Fifo<QueuedTask> tasks;
  const Task* running = nullptr;  // of the worker's; unknown for a task in a calling thread
  bool computing = false;         // that one does, and so will end
  std::thread::id worker;
  uint64_t submitted = 0;
  uint64_t finished = 0;
  bool closed = false;
  bool abandoned = false;
  bool cancelled = false;
  bool stop_on_failure = false;
  Status first_failure;

  // All that may still have tasks. A stream's end, forced or not, does not end its tasks.
  struct All {
    std::mutex mutex;
    std::vector<std::weak_ptr<Queue>> queues;
  };
  static Immortal<All> all;

  // True if nothing runs, so that the first waiting task may begin.
  bool free() const { return finished + tasks.size() == submitted; }
  bool skips() const { return cancelled || (stop_on_failure && !first_failure.ok()); }

  void finish(Status status) {
    if (first_failure.ok() && !status.ok()) first_failure = std::move(status);
    ++finished;
    outstanding.fetch_sub(1, std::memory_order_release);
    done.notify_all();
  }

  // What was submitted when the last task was that touches the memory; 0 if none does.
  uint64_t last_use_of(const MemoryRange& range) const {
    const uint64_t waiting_from = submitted - tasks.size();
    if (tasks.size() > kMostLooked) return submitted;
    for (size_t place = cancelled ? 0 : tasks.size(); place > 0; --place) {
      if (tasks.at(place - 1).run.touches(range)) return waiting_from + place;
    }
    const bool runs = finished != waiting_from;
    return runs && (running == nullptr || running->touches(range)) ? waiting_from : 0;
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    worker = std::this_thread::get_id();
    while (true) {
      wait_for_ever(work, lock, [this] { return tasks.empty() ? closed : free(); });
      if (tasks.empty()) return;
      QueuedTask task = tasks.pop();
      const bool skip = task.computes && skips();
      running = &task.run;
      computing = task.computes;
      lock.unlock();
      Status status;
      {
        Succession succession(*this);
        if (schedule() == Schedule::kStress) stress_delay();
        if (!skip) status = run(task.run);
        succession.cancel();
      }
      lock.lock();
      running = nullptr;
      computing = false;
      task.run.clear();  // what the task holds goes before anybody is told that it ended
      finish(std::move(status));
    }
  }

  std::thread start() {
    const SignalsBlocked blocked;
    return std::thread([queue = shared_from_this()] { queue->serve(); });
  }

 private:
  static constexpr size_t kMostLooked = 4096;  // tasks; in longer queues all memory counts as used

  // A function of the program may end the thread that runs it. The stream goes on in another one.
  class Succession {
   public:
    explicit Succession(Queue& queue) : queue_(&queue) {}
    ~Succession() {
      if (queue_ != nullptr) queue_->succeed();
    }
    void cancel() { queue_ = nullptr; }

   private:
    Queue* queue_;
  };

  void succeed() {
    std::lock_guard<std::mutex> lock(mutex);
    running = nullptr;
    worker = {};
    finish(task_failure("a function of the program ended its thread"));
    try {
      start().detach();
    } catch (const std::exception&) {
      // Nobody can run them; whoever waits must not wait for ever.
      for (; !tasks.empty(); tasks.pop()) finish(Status::out_of_memory());
    }
  }
};

Immortal<Stream::Queue::All> Stream::Queue::all;

Stream::Stream(int32_t device, uint64_t context_id, StreamConfig config)
    : device_(device),
      context_id_(context_id),
      id_(next_id()),
      config_(config),
      queue_(std::make_shared<Queue>()) {
  std::lock_guard<std::mutex> lock(Queue::all->mutex);
  auto& queues = Queue::all->queues;
  queues.erase(std::remove_if(queues.begin(), queues.end(),
                              [](const std::weak_ptr<Queue>& queue) { return queue.expired(); }),
               queues.end());
  queues.push_back(queue_);
}

Stream::~Stream() {
  const NoCancellation whole;
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
    wait();  // another thread may have succeeded the worker
    worker_.join();
  }
  end_subscription(id_);
  observe([this](Observer& o) { o.stream_ended(id_); });
}

// The caller holds the mutex, or nobody else has the stream.
bool Stream::on_worker() const { return queue_->worker == std::this_thread::get_id(); }

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

// Also where the task ends the thread.
void Stream::run_here(Task& task) {
  struct Ending {
    Stream& stream;
    Status status;
    ~Ending() { stream.end_here(std::move(status)); }
  } ending{*this, task_failure("a function of the program ended its thread")};
  ending.status = run(task);
}

void Stream::enqueue(Weight weight, Task task) {
  {
    std::unique_lock<std::mutex> lock(queue_->mutex);
    if (!worker_.joinable()) {
      try {
        worker_ = queue_->start();
      } catch (const std::system_error&) {
        // No more threads in this process. Running the task here is a legal schedule, too.
        wait_for_ever(queue_->done, lock, [this] { return queue_->finished == queue_->submitted; });
        ++queue_->submitted;
        outstanding.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        return run_here(task);
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
  wait_for_ever(queue_->done, lock, reached);
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

bool Stream::Position::passed() const {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  return queue_->finished >= target_;
}

void Stream::abandon() {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->abandoned = true;
}

void Stream::cancel() {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  queue_->abandoned = queue_->cancelled = true;
  const uint64_t seen = queue_->finished;
  wait_for_ever(queue_->done, lock,
                [&] { return queue_->finished != seen || !queue_->computing || on_worker(); });
}

void Stream::stop_on_failure(bool stop) {
  std::lock_guard<std::mutex> lock(queue_->mutex);
  queue_->stop_on_failure = stop;
}

StreamRegistry& streams() { return all_streams; }

StreamRef find_stream(aclrtStream stream) {
  if (stream != nullptr) return streams().find(stream);
  const ContextRef context = current_context();
  return context ? streams().find(context->default_stream()) : StreamRef();
}

int32_t stream_not_found(const Call& call, aclrtStream stream) {
  return stream == nullptr ? no_context(call) : no_stream(call, stream);
}

std::vector<Stream::Position> Stream::users_of(const MemoryRange& range) {
  std::vector<Position> users;
  if (outstanding.load(std::memory_order_acquire) == 0) return users;
  std::lock_guard<std::mutex> lock(Queue::all->mutex);
  for (const std::weak_ptr<Queue>& known : Queue::all->queues) {
    const std::shared_ptr<Queue> queue = known.lock();
    if (queue == nullptr) continue;
    std::lock_guard<std::mutex> queue_lock(queue->mutex);
    const uint64_t last = queue->last_use_of(range);
    if (last == 0) continue;
    Position position;
    position.target_ = last;
    position.queue_ = queue;
    users.push_back(std::move(position));
  }
  return users;
}

}  // namespace aclhost
