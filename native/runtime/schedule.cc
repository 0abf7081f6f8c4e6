// SPDX-License-Identifier: Apache-2.0
#include "runtime/schedule.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "base/immortal.h"

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

uint64_t read_seed() { return std::strtoull(std::getenv("ACLHOST_STRESS"), nullptr, 0); }

// Every thread draws from a sequence of its own, so that a seed gives each stream the same delays
// however the threads interleave. Nothing here allocates or has a destructor.
std::minstd_rand& generator_of_thread() {
  static std::atomic<uint32_t> threads{0};
  thread_local bool seeded = false;
  thread_local std::minstd_rand generator;
  if (!seeded) {
    const uint64_t mixed = (once<uint64_t, read_seed>() + ++threads) * 0x9E3779B97F4A7C15u;
    generator.seed(static_cast<uint32_t>(mixed >> 32));
    seeded = true;
  }
  return generator;
}

}  // namespace

Schedule schedule() { return once<Schedule, read_schedule>(); }

void stress_delay() {
  // Mostly short, sometimes long enough for a whole program to pass by.
  std::minstd_rand& generator = generator_of_thread();
  const uint32_t kind = generator() % 8;
  const uint32_t limit = kind == 0 ? 20000 : kind < 4 ? 2000 : 100;
  std::this_thread::sleep_for(std::chrono::microseconds(generator() % limit));
}

}  // namespace aclhost
