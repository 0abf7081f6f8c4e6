// SPDX-License-Identifier: Apache-2.0
// Many threads create, run and destroy at once, on streams of their own and on a shared one.
#include <thread>

#include "client.h"

namespace {

void worker(aclrtStream shared, int number) {
  OK(aclrtSetDevice(0));
  for (int round = 0; round < 30; ++round) {
    aclrtStream own = nullptr;
    aclrtEvent event = nullptr;
    OK(aclrtCreateStream(&own));
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    const size_t count = round % 3 == 0 ? 20000 : 8;
    const auto value = static_cast<float>(number + 1);
    void* source = device_floats(std::vector<float>(count, value));
    void* target = device_floats(std::vector<float>(count, 0));
    float one = 1;
    aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
    aclTensor* x = tensor(static_cast<int64_t>(count), source);
    aclTensor* y = tensor(static_cast<int64_t>(count), target);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    OK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
    OK(aclnnElu(nullptr, size, executor, round % 2 == 0 ? own : shared));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(y));
    OK(aclDestroyScalar(scalar));
    OK(aclrtRecordEvent(event, round % 2 == 0 ? own : shared));
    OK(aclrtStreamWaitEvent(own, event));
    OK(aclrtSynchronizeStream(own));
    const std::vector<float> result = host_floats(target, count);
    REQUIRE(result.front() == value && result.back() == value);
    OK(aclrtFree(source));
    OK(aclrtFree(target));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(own));
  }
  OK(aclrtResetDevice(0));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtStream shared = nullptr;
  OK(aclrtCreateStream(&shared));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(worker, shared, i);
  for (std::thread& thread : threads) thread.join();
  OK(aclrtDestroyStream(shared));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
