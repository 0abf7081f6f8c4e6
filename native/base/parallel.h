// SPDX-License-Identifier: Apache-2.0
// Work split over threads, with results that do not depend on how many there are.
#pragma once

#include <cstdint>
#include <type_traits>

namespace aclhost {

// How many threads work on one call: ACLHOST_NUM_THREADS, else the CPUs this process may use.
int thread_count();

namespace parallel_detail {
using Body = void (*)(const void* context, int64_t begin, int64_t end);
void run(int64_t total, int64_t grain, Body body, const void* context);
}  // namespace parallel_detail

// Calls body(begin, end) for ranges that cover [0, total) once, each a multiple of grain long but
// for the last. The caller computes, too, and never waits for a worker that has not started, so a
// sleeping worker costs nothing. The body must not throw.
template <typename Body>
void parallel_for(int64_t total, int64_t grain, const Body& body) {
  if (total <= grain) {
    if (total > 0) body(int64_t{0}, total);
    return;
  }
  parallel_detail::run(
      total, grain,
      [](const void* context, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      &body);
}

}  // namespace aclhost
