// SPDX-License-Identifier: Apache-2.0
// Random calls from several threads. Every answer must be a documented code; a signal, an exception
// or a hang ends the process and so the campaign.
//
//   hostile SEED THREADS CALLS
#include <thread>
#include <vector>

#include "actions.h"

namespace {

constexpr int kActionCount = sizeof kActions / sizeof *kActions;

bool documented(int code) {
  if (code == ACL_SUCCESS || code == ACL_ERROR_BAD_ALLOC) return true;
  for (const int family : {100, 107, 161, 207, 361, 507, 561}) {
    if (code / 1000 == family) return true;
  }
  return false;
}

std::atomic<long> undocumented{0};
std::atomic<long> successes{0};

void act(World& world, uint64_t seed, long calls) {
  Values values(world, seed);
  aclrtSetDevice(0);
  long good = 0;
  for (long i = 0; i < calls; ++i) {
    const uint32_t which = values.number(kActionCount);
    const int code = kActions[which](values);
    good += code == ACL_SUCCESS;
    if (!documented(code)) {
      ++undocumented;
      std::printf("seed %llu, call %ld, action %u: %d\n", static_cast<unsigned long long>(seed), i,
                  which, code);
    }
  }
  successes += good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  const long threads = std::atol(arguments[2]), calls = std::atol(arguments[3]);
  static World world;
  aclInit(nullptr);
  std::vector<std::thread> all;
  for (long i = 0; i < threads; ++i) {
    all.emplace_back(act, std::ref(world), seed * 1000 + static_cast<uint64_t>(i), calls / threads);
  }
  for (std::thread& thread : all) thread.join();
  std::printf("%ld calls, %ld succeeded, %ld undocumented\n", calls / threads * threads,
              successes.load(), undocumented.load());
  return undocumented == 0 ? 0 : 1;
}
