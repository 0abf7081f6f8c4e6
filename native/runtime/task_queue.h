// SPDX-License-Identifier: Apache-2.0
// The tasks of a stream, and which thread runs them.
//
// Note [Who runs a task]
// To wake a thread takes as long as to compute 100,000 elements. Most programs come back soon to
// wait for what they submitted. So a task is left lying at first, unless it is a long one: a thread
// that waits for it runs it itself. If none comes, the prompter, one thread for all streams, has
// the stream's thread begin; from then on this stream's tasks go to that thread at once, until a
// program comes back early again. Tasks that may wait for something are run by the stream's thread
// only: the thread that waits for them may be the one that they wait for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/immortal.h"
#include "base/status.h"
#include "runtime/task.h"

namespace aclhost {

class Mark;

// What a task asks of the thread that runs it.
enum class Weight {
  kSmall,   // over sooner than another thread could begin: may run in the calling thread
  kLarge,   // worth a hand-over to the stream's thread, if the program does other things meanwhile
  kLong,    // so much longer than a hand-over that it begins at once
  kMark,    // as small, and done even on a stream that stopped after a failure
  kWaiting  // may wait for other streams or for the program: only on the stream's thread
};

class TaskQueue : public std::enable_shared_from_this<TaskQueue> {
 public:
  static constexpr int32_t kForever = -1;

  // A point in a stream's work: what was submitted when it was taken.
  class Position {
   public:
    bool passed() const;

   private:
    friend class TaskQueue;
    std::shared_ptr<TaskQueue> queue_;
    uint64_t target_ = 0;
  };

  static std::shared_ptr<TaskQueue> make();  // known to the functions that look at all of them
  // Behind the last task of each stream that touches the memory; streams that have ended before
  // their tasks are included.
  static std::vector<Position> users_of(const MemoryRange& range);
  // Has every stream's thread begin what nobody has begun. False if there was something, or if some
  // could not be looked at without waiting.
  static bool prompt_all();

  bool begin_here(Weight weight);  // true: the calling thread has the stream until end_here
  void end_here(Status status);
  void add(Weight weight, Task task);

  // How a wait ended.
  struct Ending {
    bool in_time;       // before the timeout
    int32_t drop_code;  // of tasks that were dropped meanwhile; 0 if none were
    bool has_failure;   // a task failed, then or before
  };

  // Waits for all tasks there are, at most as long as the timeout in milliseconds.
  Ending wait(int32_t timeout);
  // Runs tasks in this thread until one has reached the mark, or another thread has to go on.
  void help(const std::atomic<bool>& reached);
  void hand_over();  // the stream's thread begins, if nobody has

  bool idle();
  int32_t failure();  // reports and returns the first one

  void stop_on_failure(bool stop);
  bool stops_on_failure();
  void forget_failure();

  // Tasks that have not begun never will, but marks, which others wait for; a wait under way ends.
  // Waits for the task that runs; false if that takes longer than the timeout in milliseconds.
  bool drop(int32_t timeout, int32_t code);
  // Ends the wait that is under way, if any.
  void interrupt();
  // Whether the task that this thread runs is one of those: it should come to its end.
  static bool is_dropped_here();
  // While one of these lives, the thread waits for the mark, and can be interrupted.
  class Interruptible {
   public:
    explicit Interruptible(Mark& mark);
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

   private:
    TaskQueue* const queue_;
  };

  void abandon();
  void cancel();
  void close();  // no task will come; waits for those there are, unless abandoned

 private:
  using Clock = std::chrono::steady_clock;
  class Succession;
  class Running;
  struct All;
  struct Queued {
    Task run;
    Weight weight = Weight::kSmall;
  };
  static constexpr size_t kMostLying = 256;    // tasks; such a program does not wait for each
  static constexpr size_t kMostLooked = 4096;  // tasks; in longer queues all memory counts as used
  static constexpr uint64_t kNobody = UINT64_MAX;
  static Immortal<All> all;

  // The caller of these holds the mutex.
  bool on_worker() const { return worker_id_ == std::this_thread::get_id(); }
  // True if nothing runs, so that the first waiting task may begin.
  bool free() const { return finished_ + tasks_.size() == submitted_; }
  bool skips() const { return cancelled_ || (stops_on_failure_ && !first_failure_.ok()); }
  bool can_help() const;
  bool wait(std::unique_lock<std::mutex>& lock, int32_t timeout);  // false: not in time
  // How many tasks there were up to the last one that touches the memory; 0 if none does.
  uint64_t last_use_of(const MemoryRange& range) const;
  bool has_worker();  // started now if need be
  void wake_worker();
  bool is_dropped(uint64_t task) const { return task <= dropped_ || task == interrupted_; }
  void end_wait();
  void begin();
  void finish(Status status);
  void run_next(std::unique_lock<std::mutex>& lock, bool as_worker);
  void help_next(std::unique_lock<std::mutex>& lock);
  void enter();  // the calling thread runs a task, and is not the stream's
  void leave();
  bool runs_here() const;
  void sleep(std::unique_lock<std::mutex>& lock, uint64_t target, Clock::time_point until);

  void serve();
  void succeed();
  std::thread start();
  void run_here(Task& task);

  std::mutex mutex_;
  std::condition_variable work_;  // a task may begin or the stream closed
  std::condition_variable done_;  // the task that somebody waits for ended
  Fifo<Queued> tasks_;
  const TaskQueue* outer_ = nullptr;  // whose task the thread runs that entered this queue
  const Task* running_ = nullptr;     // unknown for one that begin_here let run
  bool computing_ = false;            // that one does, and so will end
  std::thread worker_;                // started by the first task
  std::thread::id worker_id_;
  uint64_t submitted_ = 0;
  uint64_t finished_ = 0;
  std::atomic<uint64_t> dropped_{0};      // tasks up to this one, counted from 1, were dropped
  std::atomic<uint64_t> interrupted_{0};  // this one was interrupted
  uint64_t drops_begun_ = 0;
  uint64_t drops_ended_ = 0;    // how often tasks were dropped, and that is over
  int32_t drop_code_ = 0;       // of the last one
  Mark* waits_for_ = nullptr;   // what the task that runs waits for
  uint64_t awaited_ = kNobody;  // the least number of finished tasks that somebody waits for
  bool hands_over_ = false;     // the program did not come back the last time
  bool closed_ = false;
  bool abandoned_ = false;
  bool cancelled_ = false;
  bool stops_on_failure_ = false;
  Status first_failure_;
};

}  // namespace aclhost
