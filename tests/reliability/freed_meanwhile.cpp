// SPDX-License-Identifier: Apache-2.0
// One thread frees what others copy, fill and compute on: codes, never a fault.
#include <atomic>
#include <thread>

#include "../clients/client.h"

namespace {

constexpr int64_t kCount = 1 << 18;
constexpr size_t kBytes = kCount * sizeof(float);
constexpr int kRounds = 300;

std::atomic<void*> shared{nullptr};
std::atomic<bool> over{false};

bool refused_or_done(int code) {
  return code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID ||
         code == ACL_ERROR_RT_AICORE_EXCEPTION;
}

void compute(void* memory, aclScalar* one, aclrtStream stream) {
  aclTensor* x = tensor(kCount, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, one, one, one, x, &size, &executor));
  OK(aclnnElu(nullptr, size, executor, stream));
  OK(aclDestroyTensor(x));
}

void use(int kind) {
  OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  float value = 1;
  aclScalar* one = aclCreateScalar(&value, ACL_FLOAT);
  void* own = nullptr;
  OK(aclrtMalloc(&own, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  while (!over) {
    void* memory = shared.load();
    int code = ACL_SUCCESS;
    switch (kind) {
      case 0:
        code = aclrtMemcpy(own, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
        break;
      case 1:
        code = aclrtMemset(memory, kBytes, 1, kBytes);
        break;
      case 2:
        code = aclrtMemcpyAsync(own, kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        break;
      default:
        compute(memory, one, stream);
    }
    REQUIRE(refused_or_done(code));
    REQUIRE(refused_or_done(aclrtSynchronizeStream(stream)));
  }
  OK(aclDestroyScalar(one));
  OK(aclrtFree(own));
  OK(aclrtDestroyStream(stream));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  void* memory = nullptr;
  OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  shared = memory;
  std::thread users[] = {std::thread(use, 0), std::thread(use, 1), std::thread(use, 2),
                         std::thread(use, 3)};
  for (int round = 0; round < kRounds; ++round) {
    void* next = nullptr;
    OK(aclrtMalloc(&next, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    void* old = shared.load();
    if (round % 2 == 0) shared = next;  // else some meet freed memory
    OK(aclrtFree(old));
    shared = next;
    std::this_thread::yield();
  }
  over = true;
  for (std::thread& user : users) user.join();
  std::puts("ok");
}
