// SPDX-License-Identifier: Apache-2.0
#include "runtime/prompter.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "base/immortal.h"
#include "base/threads.h"
#include "runtime/task_queue.h"

namespace aclhost {
namespace {

using std::chrono::microseconds;

// How long a task lies: at first what it costs to wake a thread, to which the kernel adds its slack
// of 50 us. But every look disturbs the threads that compute, so while programs come back in time
// there are fewer of them.
constexpr microseconds kLeastPatience(50);
constexpr microseconds kMostPatience(400);
constexpr int kQuietLooks = 5;  // without a new task, before the prompter sleeps

class Prompter {
 public:
  bool expect() noexcept {
    left_.fetch_add(1);
    return !asleep_.load() || wake();
  }

 private:
  bool wake() noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!started_ && !start()) return false;
    called_.notify_one();
    return true;
  }

  bool start() noexcept {
    try {
      const SignalsBlocked blocked;
      std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {
      return false;
    }
    asleep_.store(false);
    return started_ = true;
  }

  void serve() {
    microseconds patience = kLeastPatience;
    uint64_t seen = 0;
    int quiet = 0;
    while (true) {
      std::this_thread::sleep_for(patience);
      const uint64_t now = left_.load();
      const bool in_time = TaskQueue::prompt_all();
      patience = in_time ? std::min(2 * patience, kMostPatience) : kLeastPatience;
      quiet = in_time && now == seen ? quiet + 1 : 0;
      seen = now;
      if (quiet < kQuietLooks) continue;
      sleep(seen);
      patience = kLeastPatience;
      quiet = 0;
    }
  }

  // Until a task is left lying that was not seen yet.
  void sleep(uint64_t seen) {
    std::unique_lock<std::mutex> lock(mutex_);
    asleep_.store(true);
    wait_for_ever(called_, lock, [&] { return left_.load() != seen; });
    asleep_.store(false);
  }

  std::mutex mutex_;
  std::condition_variable called_;
  bool started_ = false;
  std::atomic<bool> asleep_{true};  // also while there is no thread
  std::atomic<uint64_t> left_{0};   // tasks left lying so far
};

Immortal<Prompter> prompter;

}  // namespace

bool prompt_later() noexcept { return prompter->expect(); }

}  // namespace aclhost
