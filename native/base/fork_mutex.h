// SPDX-License-Identifier: Apache-2.0
// A mutex that the child of a fork finds open, because a fork waits for it.
#pragma once

#include <atomic>
#include <mutex>

namespace aclhost {

// While one is held, those of levels further inside may be taken; while an inner one is held, none.
enum class ForkLevel { kOuter, kMiddle, kInner };

class ForkMutex {
 public:
  explicit constexpr ForkMutex(ForkLevel level = ForkLevel::kInner) : level_(level) {}

  void lock() {
    if (!listed_.load(std::memory_order_acquire)) list();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  friend class ForkMutexes;
  void list();  // among those that a fork waits for

  const ForkLevel level_;
  std::mutex mutex_;
  std::atomic<bool> listed_{false};
  ForkMutex* next_ = nullptr;
};

}  // namespace aclhost
