// SPDX-License-Identifier: Apache-2.0
#include "base/fork_mutex.h"

#include <pthread.h>

#include <array>
#include <cstddef>

namespace aclhost {

// All that were ever locked. A fork takes the mutexes from the outer to the inner ones, the order
// in which calls take them, and then the list, so that it stays as it is. Not the other way round:
// who holds an outer mutex may have to list an inner one before it goes on.
class ForkMutexes {
 public:
  void add(ForkMutex* mutex) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (mutex->listed_.load(std::memory_order_relaxed)) return;
    ForkMutex*& first = lists_[static_cast<size_t>(mutex->level_)];
    mutex->next_ = first;
    first = mutex;
    mutex->listed_.store(true, std::memory_order_release);
  }

  void close() {
    mutex_.lock();
    for (;;) {
      const Lists known = lists_;
      mutex_.unlock();
      for_each(known, [](std::mutex& mutex) { mutex.lock(); });
      mutex_.lock();
      if (known == lists_) return;
      for_each(known, [](std::mutex& mutex) { mutex.unlock(); });
    }
  }

  void open() {
    for_each(lists_, [](std::mutex& mutex) { mutex.unlock(); });
    mutex_.unlock();
  }

 private:
  using Lists = std::array<ForkMutex*, 3>;  // by level; the last one that was added first

  template <typename Visit>
  static void for_each(const Lists& lists, const Visit& visit) {
    for (ForkMutex* mutex : lists) {
      for (; mutex != nullptr; mutex = mutex->next_) visit(mutex->mutex_);
    }
  }

  std::mutex mutex_;
  Lists lists_{};
};

namespace {

__constinit ForkMutexes mutexes;

__attribute__((constructor)) void prepare() {
  pthread_atfork([] { mutexes.close(); }, [] { mutexes.open(); }, [] { mutexes.open(); });
}

}  // namespace

void ForkMutex::list() { mutexes.add(this); }

}  // namespace aclhost
