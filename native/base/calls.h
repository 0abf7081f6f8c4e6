// SPDX-License-Identifier: Apache-2.0
// How often each operator was called, for the summaries of test suites.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace aclhost {

// One for each operator; lives as long as the process, and costs nothing until the first call.
class CallCounter {
 public:
  constexpr explicit CallCounter(const char* name) : op(name) {}
  void add(bool accepted) {
    if (!listed_.load(std::memory_order_relaxed)) remember();
    calls.fetch_add(1, std::memory_order_relaxed);
    if (!accepted) refused.fetch_add(1, std::memory_order_relaxed);
  }

  const char* const op;
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> refused{0};
  CallCounter* next = nullptr;

 private:
  void remember();  // among those that were called
  std::atomic<bool> listed_{false};
};

struct CallCount {
  std::string op;
  uint64_t calls;
  uint64_t refused;
};

// All counters by name. At exit the same goes, a line each, to the end of the file that
// ACLHOST_CALL_LOG names, if it exists; so a test suite learns what the programs it starts call.
std::vector<CallCount> call_counts();

}  // namespace aclhost
