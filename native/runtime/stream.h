// SPDX-License-Identifier: Apache-2.0
// A stream: tasks run one after the other, whichever thread runs them.
#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "acl/acl_base.h"
#include "base/call.h"
#include "base/registry.h"
#include "base/status.h"
#include "runtime/task.h"

namespace aclhost {

// What a task asks of the thread that runs it.
enum class Weight {
  kSmall,   // over sooner than another thread could begin: may run in the calling thread
  kLarge,   // worth a hand-over to the stream's thread
  kMark,    // as small, and done even on a stream that stopped after a failure
  kWaiting  // may wait for other streams or for the program: never in the calling thread
};

// What a failing task of a stream leaves behind when it threw.
Status task_failure(const char* what) noexcept;

struct StreamConfig {
  uint32_t priority = 0;  // kept and given back; one CPU thread is as good as another
  uint32_t flags = 0;
};

class Stream {
  struct Queue;

 public:
  // A point in a stream's work: what was submitted when it was taken.
  class Position {
   public:
    bool passed() const;

   private:
    friend class Stream;
    std::shared_ptr<Queue> queue_;
    uint64_t target_ = 0;
  };

  Stream(int32_t device, uint64_t context_id, StreamConfig config = {});
  ~Stream();  // waits for the tasks, unless abandoned
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Runs `task`, a Status(), after all earlier ones. A failing task does not stop later ones unless
  // stop_on_failure; the stream keeps the first failure.
  template <typename Task>
  void submit(Weight weight, Task&& task) {
    if (begin_here(weight)) {
      end_here(run(task));
    } else {
      enqueue(weight, std::forward<Task>(task));
    }
  }

  template <typename Task>
  static Status run(Task&& task) {
    try {
      return task();
    } catch (abi::__forced_unwind&) {
      throw;  // the thread ends: a function of the program called pthread_exit
    } catch (const std::exception& problem) {
      return task_failure(problem.what());
    } catch (...) {
      return task_failure("an exception without a text");
    }
  }

  static constexpr int32_t kForever = -1;

  // Waits for all tasks submitted before the call, without looking at how they ended. False if that
  // takes longer than the timeout in milliseconds.
  bool wait(int32_t timeout = kForever);

  // Reports and returns the first failure of the stream's life, or 0.
  int32_t failure();

  bool idle();
  // Behind the last task of each stream that touches the memory; streams that have ended before
  // their tasks are included.
  static std::vector<Position> users_of(const MemoryRange& range);
  void abandon();  // its end will not wait for the tasks
  // As abandon, and work that has not begun never will; waits only for work that is under way.
  void cancel();
  void stop_on_failure(bool stop);

  int32_t device() const { return device_; }
  uint64_t context_id() const { return context_id_; }
  int32_t id() const { return id_; }  // counted from 0, never used again
  const StreamConfig& config() const { return config_; }

 private:
  bool on_worker() const;
  bool begin_here(Weight weight);  // true: the calling thread has the stream until end_here
  void end_here(Status status);
  void enqueue(Weight weight, Task task);
  void run_here(Task& task);

  const int32_t device_;
  const uint64_t context_id_;
  const int32_t id_;
  const StreamConfig config_;
  const std::shared_ptr<Queue> queue_;  // shared with the worker, which may outlive the stream
  std::thread worker_;                  // guarded by the queue's mutex; started by the first task
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
