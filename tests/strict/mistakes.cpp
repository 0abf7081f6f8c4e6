// SPDX-License-Identifier: Apache-2.0
// The mistakes that everybody makes.
#include "corpus.h"

namespace {

FATAL_MISTAKE(host_reads_device, "host access to device memory") {
  const Pair pair;
  std::printf("%f\n", *static_cast<volatile float*>(pair.source));
}

MISTAKE(host_pointer, "not device memory") {
  const Pair pair;
  float values[4] = {1, 2, 3, 4};
  elu(4, values, pair.target, first);
}

MISTAKE(pinned_pointer, "not device memory") {
  const Pair pair;
  void* pinned = nullptr;
  OK(aclrtMallocHost(&pinned, 16));
  elu(4, pinned, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(pinned));
}

MISTAKE(byte_too_small, "out of bounds") {
  const Pair pair;
  const char bytes[15] = {};
  void* small = raw(15);
  OK(aclrtMemcpy(small, 15, bytes, 15, ACL_MEMCPY_HOST_TO_DEVICE));
  elu(4, small, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(small));
}

MISTAKE(use_after_free, "use after free") {
  const Pair pair;
  void* gone = device_floats({1, 2, 3, 4});
  OK(aclrtFree(gone));
  elu(4, gone, pair.target, first);
}

MISTAKE(free_too_early, "use after free") {
  const Pair pair;
  void* source = device_floats({1, 2, 3, 4});
  elu(4, source, pair.target, first);
  OK(aclrtFree(source));
}

MISTAKE(double_free, "double free") {
  void* memory = raw(16);
  aclrtFree(memory);
  aclrtFree(memory);
}

MISTAKE(invalid_free, "invalid free") {
  char* memory = static_cast<char*>(raw(64));
  aclrtFree(memory + 32);
  aclrtFree(memory);
}

MISTAKE(double_destroy, "double destroy") {
  aclTensor* x = tensor(4, nullptr);
  aclDestroyTensor(x);
  aclDestroyTensor(x);
}

MISTAKE(use_after_destroy, "use after destroy") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclDestroyTensor(x);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor);
  aclDestroyTensor(y);
}

MISTAKE(stale_stream, "use after destroy") {
  const Pair pair;
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  OK(aclrtDestroyStream(stream));
  elu(4, pair.source, pair.target, stream);
}

MISTAKE(second_run, "use after destroy") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclOpExecutor* executor = prepare(x, y);
  aclnnElu(nullptr, 0, executor, first);
  aclnnElu(nullptr, 0, executor, first);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

MISTAKE(uninitialised, "uninitialised read") {
  const Pair pair;
  void* fresh = raw(16);
  elu(4, fresh, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(fresh));
}

MISTAKE(uninitialised_copy, "uninitialised read") {
  void* fresh = raw(16);
  host_floats(fresh, 4);
  OK(aclrtFree(fresh));
}

MISTAKE(no_synchronisation, "missing synchronisation") {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  host_floats(pair.target, 4);
}

MISTAKE(race, "race") {
  const Pair pair, other;
  elu(4, pair.source, pair.target, first);
  elu(4, pair.target, other.target, second);
}

MISTAKE(overlap, "overlapping tensors") {
  void* memory = device_floats({1, 2, 3, 4, 5});
  elu(4, memory, static_cast<float*>(memory) + 1, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
}

MISTAKE(never_run, "executor never run") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  prepare(x, y);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

MISTAKE(leak_tensor, "leak") { tensor(4, nullptr); }
MISTAKE(leak_memory, "leak") { raw(123); }
MISTAKE(leak_event, "leak") {
  aclrtEvent event = nullptr;
  OK(aclrtCreateEvent(&event));
}
MISTAKE(leak_stream, "leak") {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  keeps_device = true;
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }
