// SPDX-License-Identifier: Apache-2.0
// As torch_npu does: callbacks served by a thread of the program, host functions, queued copies
// through pinned memory, events between streams, streams that end with work in them.
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "client.h"

namespace {

std::atomic<int> called{0};
std::atomic<bool> stopped{false};

void count(void* number) { called += *static_cast<int*>(number); }

void serve() {
  while (!stopped) aclrtProcessReport(1);
}

void copy_through_pinned_memory(aclrtStream stream, unsigned char value) {
  constexpr size_t kBytes = 100000;
  void *pinned = nullptr, *memory = nullptr;
  OK(aclrtMallocHost(&pinned, kBytes));
  OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemsetAsync(memory, kBytes, value, kBytes, stream));
  OK(aclrtMemcpyAsync(pinned, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  OK(aclrtSynchronizeStreamWithTimeout(stream, 60000));
  REQUIRE(static_cast<unsigned char*>(pinned)[kBytes - 1] == value);
  OK(aclrtFree(memory));
  OK(aclrtFreeHost(pinned));
}

void worker(int number) {
  OK(aclrtSetDevice(0));
  for (int round = 0; round < 10; ++round) {
    aclrtStream stream = nullptr, other = nullptr;
    aclrtEvent event = nullptr;
    OK(aclrtCreateStreamWithConfig(&stream, number, ACL_STREAM_FAST_LAUNCH));
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    int amount = 1;
    OK(aclrtStreamWaitEvent(other, event));
    OK(aclrtLaunchHostFunc(stream, count, &amount));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeStream(other));
    copy_through_pinned_memory(other, static_cast<unsigned char>(number + 1));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStreamForce(stream));
    OK(aclrtDestroyStream(other));
  }
  OK(aclrtResetDevice(0));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) workers.emplace_back(worker, i);
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  std::thread server(serve);
  OK(aclrtSubscribeReport(static_cast<uint64_t>(server.native_handle()), stream));
  int amount = 100;
  for (int i = 0; i < 20; ++i) {
    OK(aclrtLaunchCallback(count, &amount, i % 2 == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
                           stream));
  }
  OK(aclrtLaunchCallback(count, &amount, ACL_CALLBACK_BLOCK, stream));
  OK(aclrtSynchronizeStream(stream));
  for (std::thread& thread : workers) thread.join();
  REQUIRE(called == 4 * 10 + 21 * 100);
  OK(aclrtUnSubscribeReport(static_cast<uint64_t>(server.native_handle()), stream));
  stopped = true;
  server.join();
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
