// SPDX-License-Identifier: Apache-2.0
// Memory of the wrong place, size or age.
#include "corpus.h"

namespace {

MISTAKE(view_starts_early, "out of bounds") {
  const Pair pair, other;
  elu(4, at(other.source, -1), pair.target, first);
}

MISTAKE(view_starts_in_front_of_all, "out of bounds") {
  void* lowest = device_floats({1, 2, 3, 4});
  const Pair pair;
  elu(4, at(lowest, -1), pair.target, first);
  aclrtSynchronizeStream(first);
  OK(aclrtFree(lowest));
}

MISTAKE(reversed_view_ends_early, "out of bounds") {
  const Pair pair, other;
  elu({at(other.source, -1), {4}, {-1}, 3}, {pair.target, {4}, {1}, 0}, first);
}

MISTAKE(offset_leaves_the_end, "out of bounds") {
  const Pair pair;
  elu({pair.source, {4}, {1}, 1}, {pair.target, {4}, {1}, 0}, first);
}

MISTAKE(copy_leaves_the_end, "out of bounds") {
  const Pair pair;
  const float values[5] = {};
  OK(aclrtMemcpy(pair.target, 20, values, 20, ACL_MEMCPY_HOST_TO_DEVICE));
}

MISTAKE(fill_leaves_the_end, "out of bounds") {
  const Pair pair;
  OK(aclrtMemset(pair.target, 17, 0, 17));
}

MISTAKE(copy_of_rows_leaves_the_end, "out of bounds") {
  void* memory = raw(4 * 8 - 1);
  const char rows[16] = {};
  OK(aclrtMemcpy2d(at(memory, 1), 8, rows, 4, 4, 4, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtFree(memory));
}

MISTAKE(fill_leaves_what_was_asked_of_a_pool, "out of bounds") {
  const Pool pool;
  void* memory = pool.take(16, first);
  OK(aclrtMemsetAsync(memory, 17, 0, 17, first));
  OK(aclrtMemPoolFreeAsync(memory, first));
  OK(aclrtSynchronizeStream(first));
}

MISTAKE(fill_behind_the_free_in_its_stream, "use after free") {
  const Pool pool;
  void* memory = pool.take(16, first);
  OK(aclrtMemPoolFreeAsync(memory, first));
  OK(aclrtMemsetAsync(memory, 16, 0, 16, first));
  OK(aclrtSynchronizeStream(first));
}

MISTAKE(free_in_a_stream_that_does_not_wait, "use after free") {
  const Pool pool;
  void* memory = pool.take(16, first);
  OK(aclrtMemsetAsync(memory, 16, 0, 16, first));
  OK(aclrtMemPoolFreeAsync(memory, second));
  OK(aclrtSynchronizeStream(first));
}

MISTAKE(memory_of_a_pool_is_unwritten_again, "uninitialised read") {
  const Pool pool;
  const Pair pair;
  void* memory = pool.take(16, first);
  OK(aclrtMemsetAsync(memory, 16, 0, 16, first));
  OK(aclrtMemPoolFreeAsync(memory, first));
  memory = pool.take(16, first);
  elu(4, memory, pair.target, first);
  OK(aclrtMemPoolFreeAsync(memory, first));
  OK(aclrtSynchronizeStream(first));
}

MISTAKE(no_allocation_there, "not device memory") {
  const Pair pair;
  elu(4, static_cast<char*>(pair.source) + (size_t{1} << 40), pair.target, first);
}

MISTAKE(to_device_says_the_call, "wrong direction") {
  const Pair pair;
  float values[4];
  OK(aclrtMemcpy(values, 16, pair.source, 16, ACL_MEMCPY_HOST_TO_DEVICE));
}

MISTAKE(to_host_says_the_call, "wrong direction") {
  const Pair pair;
  OK(aclrtMemcpy(pair.target, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_HOST));
}

MISTAKE(both_on_the_host_says_the_call, "wrong direction") {
  const Pair pair;
  float values[4];
  OK(aclrtMemcpy(values, 16, pair.source, 16, ACL_MEMCPY_HOST_TO_HOST));
}

MISTAKE(both_on_the_device_says_the_call, "wrong direction") {
  const Pair pair;
  const float values[4] = {1, 2, 3, 4};
  OK(aclrtMemcpy(pair.target, 16, values, 16, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

MISTAKE(queued_copy_in_the_wrong_direction, "wrong direction") {
  const Pair pair;
  float* memory = pinned(16);
  OK(aclrtMemcpyAsync(pair.target, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(memory));
}

MISTAKE(copy_after_free, "use after free") {
  void* gone = device_floats({1, 2, 3, 4});
  OK(aclrtFree(gone));
  float values[4];
  aclrtMemcpy(values, 16, gone, 16, ACL_MEMCPY_DEVICE_TO_HOST);
  const Pair pair;
  elu(4, gone, pair.target, first);
}

MISTAKE(pinned_memory_freed_early, "use after free") {
  const Pair pair;
  float* memory = pinned(16);
  OK(aclrtMemcpyAsync(pair.target, 16, memory, 16, ACL_MEMCPY_HOST_TO_DEVICE, first));
  OK(aclrtFreeHost(memory));
}

MISTAKE(device_memory_freed_as_pinned, "invalid free") {
  const Pair pair;
  aclrtFreeHost(pair.source);
}

MISTAKE(pinned_memory_freed_as_device, "invalid free") {
  float* memory = pinned(16);
  aclrtFree(memory);
  OK(aclrtFreeHost(memory));
}

MISTAKE(memory_of_the_stack_freed, "invalid free") {
  float values[4] = {};
  aclrtFree(values);
}

MISTAKE(half_initialised, "uninitialised read") {
  const Pair pair;
  void* memory = raw(16);
  OK(aclrtMemset(memory, 8, 0, 8));
  elu(4, memory, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
}

MISTAKE(mapped_and_never_written, "uninitialised read") {
  const Pair pair;
  const Mapped memory(1);
  elu(4, memory.start, pair.target, first);
}

MISTAKE(gaps_not_initialised, "uninitialised read") {
  const Pair pair;
  void* memory = raw(32);
  elu({pair.source, {4}, {1}, 0}, {memory, {4}, {2}, 0}, first);
  OK(aclrtSynchronizeStream(first));
  elu(4, memory, pair.target, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
}

MISTAKE(more_than_the_data_gave, "uninitialised read") {
  const Pair pair;
  void* places = raw(32);
  int64_t found[4];
  find_places(pair.source, places, first);
  OK(aclrtMemcpy(found, 32, places, 32, ACL_MEMCPY_DEVICE_TO_HOST));
  OK(aclrtFree(places));
}

MISTAKE(output_of_stride_zero, "overlapping tensors") {
  const Pair pair;
  elu({pair.source, {4}, {1}, 0}, {pair.target, {4}, {0}, 0}, first);
}

MISTAKE(rows_of_the_output_overlap, "overlapping tensors") {
  const Pair pair;
  elu({pair.source, {2, 2}, {2, 1}, 0}, {pair.target, {2, 2}, {1, 1}, 0}, first);
}

MISTAKE(workspace_on_the_stack, "not device memory") {
  const Pair pair;
  char workspace[64];
  elu(4, pair.source, pair.target, first, workspace, sizeof workspace);
}

MISTAKE(workspace_too_small, "out of bounds") {
  const Pair pair;
  void* workspace = raw(63);
  elu(4, pair.source, pair.target, first, workspace, 64);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(workspace));
}

MISTAKE(workspace_freed_early, "use after free") {
  const Pair pair;
  void* workspace = raw(64);
  elu(4, pair.source, pair.target, first, workspace, 64);
  OK(aclrtFree(workspace));
}

MISTAKE(workspace_of_two_streams, "race") {
  const Pair pair, other;
  void* workspace = raw(64);
  elu(4, pair.source, pair.target, first, workspace, 64);
  elu(4, other.source, other.target, second, workspace, 64);
  OK(aclrtSynchronizeDevice());
  OK(aclrtFree(workspace));
}

MISTAKE(too_little_for_what_it_asked, "out of bounds") {
  const Pair pair;
  void* workspace = nullptr;
  layer_norm(4, pair.source, pair.target, first,
             [&](uint64_t size) { return workspace = raw(size - 1); });
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(workspace));
}

MISTAKE(what_it_asked_for_freed_early, "use after free") {
  const Pair pair;
  void* workspace = nullptr;
  layer_norm(4, pair.source, pair.target, first,
             [&](uint64_t size) { return workspace = raw(size); });
  OK(aclrtFree(workspace));
}

// A pool that had the result's buffer back too early gives it out again.
MISTAKE(result_as_the_workspace, "overlapping tensors") {
  const Pair pair;
  void* result = raw(64);
  layer_norm(4, pair.source, result, first, [&](uint64_t) { return result; });
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(result));
}

// Something of device 1, with device 0 current again at the end.
struct OtherDevice {
  OtherDevice() {
    OK(aclrtSetDevice(1));
    OK(aclrtCreateStream(&stream));
    target = device_floats({0, 0, 0, 0});
  }
  ~OtherDevice() {
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFree(target));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(1));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
  }
  aclrtStream stream = nullptr;
  void* target = nullptr;
};

MISTAKE(tensor_of_another_device, "memory of another device") {
  const Pair pair;
  const OtherDevice other;
  elu(4, pair.source, other.target, other.stream);
}

MISTAKE(copy_between_devices, "memory of another device") {
  const Pair pair;
  const OtherDevice other;
  OK(aclrtMemcpyAsync(other.target, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_DEVICE,
                      other.stream));
}

MISTAKE(copy_between_devices_at_once, "memory of another device") {
  const Pair pair;
  const OtherDevice other;
  OK(aclrtMemcpy(other.target, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

MISTAKE(leak_pinned_memory, "leak") { pinned(16); }

MISTAKE(leak_scalar, "leak") {
  float one = 1;
  aclCreateScalar(&one, ACL_FLOAT);
}

MISTAKE(leak_int_array, "leak") {
  const int64_t one = 1;
  aclCreateIntArray(&one, 1);
}

MISTAKE(leak_context, "leak") {
  aclrtContext context = nullptr;
  aclrtContext primary = nullptr;
  OK(aclrtGetCurrentContext(&primary));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtSetCurrentContext(primary));
}

MISTAKE(repeatable_executor_never_destroyed, "leak") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclOpExecutor* executor = prepare(x, y);
  OK(aclSetAclOpExecutorRepeatable(executor));
  OK(aclnnElu(nullptr, 0, executor, first));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

MISTAKE(repeatable_executor_never_run, "executor never run") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  OK(aclSetAclOpExecutorRepeatable(prepare(x, y)));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

MISTAKE(double_destroy_scalar, "double destroy") {
  float one = 1;
  aclScalar* value = aclCreateScalar(&one, ACL_FLOAT);
  aclDestroyScalar(value);
  aclDestroyScalar(value);
}

MISTAKE(double_destroy_stream, "double destroy") {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  OK(aclrtDestroyStream(stream));
  aclrtDestroyStream(stream);
}

MISTAKE(double_destroy_context, "double destroy") {
  aclrtContext context = nullptr;
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtDestroyContext(context));
  aclrtDestroyContext(context);
}

MISTAKE(stale_context, "use after destroy") {
  aclrtContext context = nullptr;
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtDestroyContext(context));
  aclrtSetCurrentContext(context);
}

MISTAKE(stale_event, "use after destroy") {
  aclrtEvent event = new_event();
  OK(aclrtDestroyEvent(event));
  aclrtRecordEvent(event, first);
}

MISTAKE(destroyed_executor, "use after destroy") {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclOpExecutor* executor = prepare(x, y);
  OK(aclDestroyAclOpExecutor(executor));
  aclnnElu(nullptr, 0, executor, first);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

MISTAKE(added_to_unwritten_memory, "uninitialised read") {
  const Scattered scattered;
  scattered.elements(1);
}

MISTAKE(values_added_to_unwritten_memory, "uninitialised read") {
  const Scattered scattered;
  scattered.values(true);
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }
