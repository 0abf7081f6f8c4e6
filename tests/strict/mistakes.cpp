// SPDX-License-Identifier: Apache-2.0
// One mistake for each argument that strict mode knows; "none" makes none.
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "client.h"

namespace {

aclrtStream first, second;
float one = 1;
aclScalar* scalar;

aclOpExecutor* prepare(aclTensor* x, aclTensor* y) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
  return executor;
}

void elu(int64_t count, void* source, void* target, aclrtStream stream) {
  aclTensor *x = tensor(count, source), *y = tensor(count, target);
  aclnnElu(nullptr, 0, prepare(x, y), stream);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

void* raw(size_t bytes) {
  void* memory = nullptr;
  OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

// Two tensors of four floats that nobody misuses, gone at the end.
struct Pair {
  void* source = device_floats({-1, 0, 1, 2});
  void* target = device_floats({0, 0, 0, 0});
  ~Pair() {
    aclrtSynchronizeDevice();
    aclrtFree(source);
    aclrtFree(target);
  }
};

void none() {
  const Pair pair;
  aclrtEvent event = nullptr;
  OK(aclrtCreateEvent(&event));
  elu(4, pair.source, pair.target, first);
  elu(4, pair.target, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.target, pair.source, second);
  OK(aclrtRecordEvent(event, second));
  OK(aclrtSynchronizeEvent(event));
  host_floats(pair.source, 4);
  OK(aclrtDestroyEvent(event));
}

void halves_on_two_streams() {
  const Pair pair;
  elu(2, pair.source, pair.target, first);
  elu(2, static_cast<float*>(pair.source) + 2, static_cast<float*>(pair.target) + 2, second);
}

void host_reads_device() {
  const Pair pair;
  std::printf("%f\n", *static_cast<volatile float*>(pair.source));
}

void host_pointer() {
  const Pair pair;
  float values[4] = {1, 2, 3, 4};
  elu(4, values, pair.target, first);
}

void pinned_pointer() {
  const Pair pair;
  void* pinned = nullptr;
  OK(aclrtMallocHost(&pinned, 16));
  elu(4, pinned, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(pinned));
}

void byte_too_small() {
  const Pair pair;
  const char bytes[15] = {};
  void* small = raw(15);
  OK(aclrtMemcpy(small, 15, bytes, 15, ACL_MEMCPY_HOST_TO_DEVICE));
  elu(4, small, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(small));
}

void use_after_free() {
  const Pair pair;
  void* gone = device_floats({1, 2, 3, 4});
  OK(aclrtFree(gone));
  elu(4, gone, pair.target, first);
}

void free_too_early() {
  const Pair pair;
  void* source = device_floats({1, 2, 3, 4});
  elu(4, source, pair.target, first);
  OK(aclrtFree(source));
}

void double_free() {
  void* memory = raw(16);
  aclrtFree(memory);
  aclrtFree(memory);
}

void invalid_free() {
  char* memory = static_cast<char*>(raw(64));
  aclrtFree(memory + 32);
  aclrtFree(memory);
}

void double_destroy() {
  aclTensor* x = tensor(4, nullptr);
  aclDestroyTensor(x);
  aclDestroyTensor(x);
}

void use_after_destroy() {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclDestroyTensor(x);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor);
  aclDestroyTensor(y);
}

void stale_stream() {
  const Pair pair;
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  OK(aclrtDestroyStream(stream));
  elu(4, pair.source, pair.target, stream);
}

void second_run() {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclOpExecutor* executor = prepare(x, y);
  aclnnElu(nullptr, 0, executor, first);
  aclnnElu(nullptr, 0, executor, first);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

void uninitialised() {
  const Pair pair;
  void* fresh = raw(16);
  elu(4, fresh, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(fresh));
}

void uninitialised_copy() {
  void* fresh = raw(16);
  host_floats(fresh, 4);
  OK(aclrtFree(fresh));
}

void no_synchronisation() {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  host_floats(pair.target, 4);
}

void race() {
  const Pair pair, other;
  elu(4, pair.source, pair.target, first);
  elu(4, pair.target, other.target, second);
}

void overlap() {
  void* memory = device_floats({1, 2, 3, 4, 5});
  elu(4, memory, static_cast<float*>(memory) + 1, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
}

void never_run() {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  prepare(x, y);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

void leak_tensor() { tensor(4, nullptr); }
void leak_memory() { raw(123); }
void leak_event() {
  aclrtEvent event = nullptr;
  OK(aclrtCreateEvent(&event));
}
void leak_stream() {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
}

const std::map<std::string, void (*)()> kMistakes = {
    {"none", none},
    {"halves_on_two_streams", halves_on_two_streams},
    {"host_reads_device", host_reads_device},
    {"host_pointer", host_pointer},
    {"pinned_pointer", pinned_pointer},
    {"byte_too_small", byte_too_small},
    {"use_after_free", use_after_free},
    {"free_too_early", free_too_early},
    {"double_free", double_free},
    {"invalid_free", invalid_free},
    {"double_destroy", double_destroy},
    {"use_after_destroy", use_after_destroy},
    {"stale_stream", stale_stream},
    {"second_run", second_run},
    {"uninitialised", uninitialised},
    {"uninitialised_copy", uninitialised_copy},
    {"no_synchronisation", no_synchronisation},
    {"race", race},
    {"overlap", overlap},
    {"never_run", never_run},
    {"leak_tensor", leak_tensor},
    {"leak_memory", leak_memory},
    {"leak_event", leak_event},
    {"leak_stream", leak_stream},
};

}  // namespace

int main(int, char** arguments) {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&first));
  OK(aclrtCreateStream(&second));
  scalar = aclCreateScalar(&one, ACL_FLOAT);
  kMistakes.at(arguments[1])();
  aclDestroyScalar(scalar);
  aclrtDestroyStream(first);
  aclrtDestroyStream(second);
  if (std::strcmp(arguments[1], "leak_stream") != 0) aclrtResetDevice(0);
  aclFinalize();
  return std::stoi(arguments[2]);
}
