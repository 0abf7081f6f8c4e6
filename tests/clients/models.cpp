// SPDX-License-Identifier: Apache-2.0
// As an executor of static graphs does: models from bound streams with branches and loops, run by
// several threads at once, and ended early; memory pools in the order of streams.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "acl/acl_rt_memory_soma.h"
#include "client.h"

namespace {

constexpr int kRuns = 20;
constexpr uint32_t kHead = 0;             // ACL_MODEL_STREAM_FLAG_HEAD
constexpr uint32_t kLater = 0x7FFFFFFFu;  // ACL_MODEL_STREAM_FLAG_DEFAULT

struct Counter {
  std::atomic<int> calls{0};
  aclrtContext context = nullptr;
  int32_t* left = nullptr;  // in device memory: how often the loop goes on
};

void count(void* data) {
  auto* counter = static_cast<Counter*>(data);
  const int32_t left = 2 - counter->calls++ % 3;
  if (counter->left == nullptr) return;
  OK(aclrtSetCurrentContext(counter->context));
  OK(aclrtMemcpy(counter->left, sizeof left, &left, sizeof left, ACL_MEMCPY_HOST_TO_DEVICE));
}

aclrtStream bound_stream(aclmdlRI model, uint32_t flag) {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
  OK(aclmdlRIBindStream(model, stream, flag));
  return stream;
}

// Two heads; one repeats itself three times by a switch, then lets the last stream begin.
void loop(int32_t* numbers) {
  aclmdlRI model = nullptr;
  aclrtStream runner = nullptr;
  OK(aclmdlRIBuildBegin(&model, 0));
  OK(aclrtCreateStream(&runner));
  const aclrtStream body = bound_stream(model, kHead), beside = bound_stream(model, kHead);
  const aclrtStream again = bound_stream(model, kLater), last = bound_stream(model, kLater);
  Counter counter, other;
  counter.left = &numbers[0];
  OK(aclrtGetCurrentContext(&counter.context));
  OK(aclrtMemcpyAsync(&numbers[0], 4, &numbers[2], 4, ACL_MEMCPY_DEVICE_TO_DEVICE, body));
  OK(aclrtActiveStream(again, body));
  OK(aclrtLaunchHostFunc(again, count, &counter));
  OK(aclrtSwitchStream(&numbers[0], ACL_RT_GREATER, &numbers[1], ACL_RT_SWITCH_INT32, again,
                       nullptr, again));
  OK(aclrtActiveStream(last, again));
  OK(aclrtLaunchHostFunc(beside, count, &other));
  OK(aclmdlRIEndTask(model, last));
  OK(aclmdlRIBuildEnd(model, nullptr));
  for (int run = 0; run < kRuns; ++run) OK(aclmdlRIExecuteAsync(model, runner));
  OK(aclrtSynchronizeStream(runner));
  REQUIRE(counter.calls == 3 * kRuns);
  REQUIRE(other.calls == kRuns);
  OK(aclmdlRIExecuteAsync(model, runner));
  OK(aclmdlRIAbort(model));  // whether it has begun or not
  OK(aclrtStreamAbort(runner));
  OK(aclmdlRIDestroy(model));
  for (const aclrtStream stream : {body, beside, again, last}) OK(aclrtDestroyStream(stream));
  OK(aclrtDestroyStreamForce(runner));
}

void use_pool(aclrtMemPool pool) {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  for (int round = 0; round < 50; ++round) {
    void* memory = nullptr;
    OK(aclrtMemPoolMallocAsync(&memory, 1000, pool, stream));
    OK(aclrtMemsetAsync(memory, 1000, round, 1000, stream));
    OK(aclrtMemPoolFreeAsync(memory, stream));
    if (round % 10 == 0) OK(aclrtSynchronizeStream(stream));
  }
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyStream(stream));
}

void worker(aclrtMemPool pool) {
  OK(aclrtSetDevice(0));
  void* memory = nullptr;
  OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  auto* numbers = static_cast<int32_t*>(memory);
  const int32_t values[] = {0, 0, 3};
  OK(aclrtMemcpy(numbers, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
  loop(numbers);
  use_pool(pool);
  OK(aclrtFree(memory));
  OK(aclrtResetDevice(0));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtMemPoolProps props{};
  props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtMemPool pool = nullptr;
  OK(aclrtMemPoolCreate(&pool, &props));
  uint32_t reuse = 1;
  OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &reuse));
  std::vector<std::thread> workers;
  for (int number = 0; number < 4; ++number) workers.emplace_back(worker, pool);
  for (std::thread& each : workers) each.join();
  OK(aclrtMemPoolDestroy(pool));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
  return 0;
}
