// SPDX-License-Identifier: Apache-2.0
// A process forked from one that uses a device has the device's state but none of its threads, and
// perhaps locks that nobody will ever open. So calls there fail before they touch anything.
#pragma once

#include <atomic>
#include <cstdint>

namespace aclhost {

namespace fork_detail {
extern std::atomic<bool> in_child;
}

// From now on a forked child is useless. Called before a context comes to life.
void forbid_fork();

inline bool in_forked_child() { return fork_detail::in_child.load(std::memory_order_relaxed); }

// Reports and returns the code.
int32_t report_forked(int32_t code, const char* call) noexcept;

}  // namespace aclhost
