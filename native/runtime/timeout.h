// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/call.h"

namespace aclhost {

// The rule of all functions that wait: milliseconds, -1 for ever, nothing else below 1.
inline int32_t check_timeout(const Call& call, int32_t timeout) {
  if (timeout == -1 || timeout > 0) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "timeout",
                   "is " + std::to_string(timeout) +
                       "; pass a positive number of milliseconds, or -1 to wait for ever");
}

// False if what is waited for has not come after so many milliseconds; below 0 for ever.
template <typename Ready>
bool wait_under(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                int32_t timeout, const Ready& ready) {
  if (timeout >= 0) return changed.wait_for(lock, std::chrono::milliseconds(timeout), ready);
  changed.wait(lock, ready);
  return true;
}

}  // namespace aclhost
