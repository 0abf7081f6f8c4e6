// SPDX-License-Identifier: Apache-2.0
// The same chunks of work through the library's own pool and through oneTBB: `pools own`,
// `pools tbb`. Prints microseconds per call, hot and after 20 ms in which all threads fell asleep.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kGrain = 16 * 1024;
constexpr int kHotCalls = 2000;
constexpr int kColdCalls = 100;
constexpr std::chrono::milliseconds kIdle(20);

struct Arrays {
  std::vector<float> a, b, c;
  explicit Arrays(int64_t count) : a(count, 1.0f), b(count, 2.0f), c(count) {}

  void compute(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) c[i] = a[i] > 0 ? a[i] : a[i] * (b[i] + 1);
  }
};

void call_own(Arrays& arrays) {
  aclhost::parallel_for(static_cast<int64_t>(arrays.c.size()), kGrain,
                        [&](int64_t begin, int64_t end) { arrays.compute(begin, end); });
}

void call_tbb(Arrays& arrays) {
  const tbb::blocked_range<int64_t> all(0, static_cast<int64_t>(arrays.c.size()), kGrain);
  tbb::parallel_for(all, [&](const tbb::blocked_range<int64_t>& part) {
    arrays.compute(part.begin(), part.end());
  });
}

template <typename Call>
double microseconds(const Call& call) {
  const auto start = Clock::now();
  call();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double at(std::vector<double>& times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))];
}

template <typename Call>
void measure(int64_t count, const Call& call) {
  std::vector<double> hot, cold;
  for (int i = 0; i < kHotCalls; ++i) hot.push_back(microseconds(call));
  for (int i = 0; i < kColdCalls; ++i) {
    std::this_thread::sleep_for(kIdle);
    cold.push_back(microseconds(call));
  }
  std::printf("%.0e elements, hot, median\t%.2f\n", static_cast<double>(count), at(hot, 0.5));
  std::printf("%.0e elements, cold, median\t%.2f\n", static_cast<double>(count), at(cold, 0.5));
  std::printf("%.0e elements, cold, p90\t%.2f\n", static_cast<double>(count), at(cold, 0.9));
}

}  // namespace

int main(int argc, char** argv) {
  const bool own = argc > 1 && std::string(argv[1]) == "own";
  for (const int64_t count : {100000, 1000000}) {
    Arrays arrays(count);
    measure(count, [&] { own ? call_own(arrays) : call_tbb(arrays); });
  }
}
