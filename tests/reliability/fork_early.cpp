// SPDX-License-Identifier: Apache-2.0
// Forks while other threads make their first calls: the child's calls answer, whatever they answer.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../clients/client.h"

namespace {

std::atomic<bool> go{false};
std::atomic<int> ready{0};

void first_calls(int which) {
  ++ready;
  while (!go) continue;
  float value = 1;
  int64_t number = 1;
  uint32_t devices = 0;
  switch (which) {
    case 0:
      aclDestroyScalar(aclCreateScalar(&value, ACL_FLOAT));
      break;
    case 1:
      aclDestroyIntArray(aclCreateIntArray(&number, 1));
      break;
    case 2:
      aclrtGetDeviceCount(&devices);
      aclrtGetSocName();
      break;
    default:
      aclrtSetDevice(0);
  }
}

// In a process whose library is fresh.
int try_once(int delay) {
  std::thread threads[] = {std::thread(first_calls, 0), std::thread(first_calls, 1),
                           std::thread(first_calls, 2), std::thread(first_calls, 3)};
  while (ready < 4) continue;
  go = true;
  for (volatile int i = 0; i < delay; ++i) continue;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    for (int which = 0; which < 4; ++which) first_calls(which);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (std::thread& thread : threads) thread.join();
  return status == 0 ? 0 : 1;
}

}  // namespace

int main() {
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(try_once(round * 50));
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
  }
  std::puts("ok");
}
