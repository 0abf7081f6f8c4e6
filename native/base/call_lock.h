// SPDX-License-Identifier: Apache-2.0
// Holds the calls of all other threads while one takes a snapshot of the process.
#pragma once

#include <atomic>

namespace aclhost {

namespace call_lock_detail {
extern std::atomic<bool> is_locked;
void wait();
}  // namespace call_lock_detail

// The calling thread goes on; the others stop at their next call.
void lock_calls();
void unlock_calls();

inline void wait_while_locked() {
  if (call_lock_detail::is_locked.load(std::memory_order_relaxed)) call_lock_detail::wait();
}

}  // namespace aclhost
