// SPDX-License-Identifier: Apache-2.0
#include "base/call_lock.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/immortal.h"

namespace aclhost {
namespace {

struct Lock {
  std::mutex mutex;
  std::condition_variable opened;
  std::thread::id holder;
};

Immortal<Lock> lock;

}  // namespace

namespace call_lock_detail {

std::atomic<bool> is_locked{false};

void wait() {
  std::unique_lock<std::mutex> guard(lock->mutex);
  if (lock->holder == std::this_thread::get_id()) return;
  lock->opened.wait(guard, [] { return !is_locked.load(); });
}

}  // namespace call_lock_detail

void lock_calls() {
  const std::lock_guard<std::mutex> guard(lock->mutex);
  lock->holder = std::this_thread::get_id();
  call_lock_detail::is_locked = true;
}

void unlock_calls() {
  const std::lock_guard<std::mutex> guard(lock->mutex);
  call_lock_detail::is_locked = false;
  lock->opened.notify_all();
}

}  // namespace aclhost
