// SPDX-License-Identifier: Apache-2.0
#include "runtime/schedule.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

namespace aclhost {
namespace {

bool is_on(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && std::strcmp(text, "1") == 0;
}

Schedule read_schedule() {
  if (std::getenv("ACLHOST_STRESS") != nullptr) return Schedule::kStress;
  const bool blocking = is_on("ACLHOST_LAUNCH_BLOCKING") || is_on("ASCEND_LAUNCH_BLOCKING");
  return blocking ? Schedule::kBlocking : Schedule::kNormal;
}

// Every thread draws from a sequence of its own, so that a seed gives each stream the same delays
// however the threads interleave.
std::minstd_rand& generator_of_thread() {
  static const uint64_t seed = std::strtoull(std::getenv("ACLHOST_STRESS"), nullptr, 0);
  static std::atomic<uint32_t> threads{0};
  thread_local std::seed_seq sequence{static_cast<uint32_t>(seed),
                                      static_cast<uint32_t>(seed >> 32), ++threads};
  thread_local std::minstd_rand generator(sequence);
  return generator;
}

}  // namespace

Schedule schedule() {
  static const Schedule chosen = read_schedule();
  return chosen;
}

void stress_delay() {
  // Mostly short, sometimes long enough for a whole program to pass by.
  std::minstd_rand& generator = generator_of_thread();
  const uint32_t kind = generator() % 8;
  const uint32_t limit = kind == 0 ? 20000 : kind < 4 ? 2000 : 100;
  std::this_thread::sleep_for(std::chrono::microseconds(generator() % limit));
}

}  // namespace aclhost
