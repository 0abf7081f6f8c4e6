// SPDX-License-Identifier: Apache-2.0
#include "base/fork_mutex.h"

#include <pthread.h>

namespace aclhost {

// All that were ever locked. A fork takes first the list, so that it stays as it is, then the
// mutexes from the outer to the inner ones: the order in which calls take them.
class ForkMutexes {
 public:
  void add(ForkMutex* mutex) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (mutex->listed_.load(std::memory_order_relaxed)) return;
    ForkMutex*& first = first_[static_cast<int>(mutex->level_)];
    mutex->next_ = first;
    first = mutex;
    mutex->listed_.store(true, std::memory_order_release);
  }

  void close() {
    mutex_.lock();
    for_each([](std::mutex& mutex) { mutex.lock(); });
  }

  void open() {
    for_each([](std::mutex& mutex) { mutex.unlock(); });
    mutex_.unlock();
  }

 private:
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (ForkMutex* mutex : first_) {
      for (; mutex != nullptr; mutex = mutex->next_) visit(mutex->mutex_);
    }
  }

  std::mutex mutex_;
  ForkMutex* first_[3] = {};
};

namespace {

__constinit ForkMutexes mutexes;

__attribute__((constructor)) void prepare() {
  pthread_atfork([] { mutexes.close(); }, [] { mutexes.open(); }, [] { mutexes.open(); });
}

}  // namespace

void ForkMutex::list() { mutexes.add(this); }

}  // namespace aclhost
