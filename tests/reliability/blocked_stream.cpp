// SPDX-License-Identifier: Apache-2.0
// A stream waits for an event that nobody records. Memory that it does not touch comes back all the
// same, and a forced reset does not wait.
#include <cstring>
#include <string>

#include "../clients/client.h"

namespace {

constexpr size_t kBytes = 4 << 20;

size_t resident_bytes() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long total = 0, resident = 0;
  REQUIRE(std::fscanf(file, "%ld %ld", &total, &resident) == 2);
  std::fclose(file);
  return static_cast<size_t>(resident) * 4096;
}

void* touched() {
  void* memory = nullptr;
  OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(memory, kBytes, 1, kBytes));
  return memory;
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  aclrtEvent never = nullptr;
  OK(aclrtCreateStream(&stream));
  OK(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC));
  OK(aclrtStreamWaitEvent(stream, never));
  void* used = touched();
  void* seen = nullptr;
  OK(aclrtMallocHost(&seen, kBytes));
  OK(aclrtMemcpyAsync(seen, kBytes, used, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  OK(aclrtFree(used));

  const size_t before = resident_bytes();
  for (int i = 0; i < 200; ++i) OK(aclrtFree(touched()));
  // Some pages wait for the next allocation of their size.
  REQUIRE(resident_bytes() < before + 50 * kBytes);

  aclrtEvent recorded = nullptr;
  OK(aclrtCreateEventWithFlag(&recorded, ACL_EVENT_SYNC));
  aclrtStream other = nullptr;
  OK(aclrtCreateStream(&other));
  OK(aclrtRecordEvent(never, other));
  OK(aclrtSynchronizeStream(stream));
  REQUIRE(static_cast<char*>(seen)[kBytes - 1] == 1);  // what the task touches stayed for it

  OK(aclrtStreamWaitEvent(stream, recorded));
  void* last = touched();
  OK(aclrtMemsetAsync(last, kBytes, 2, kBytes, stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclrtSetDevice(0));
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
  OK(aclrtDestroyEvent(recorded));  // the thread that waits goes on, and finds nothing to do
  OK(aclrtSynchronizeDevice());
  OK(aclrtFree(last));
  std::puts("ok");
}
