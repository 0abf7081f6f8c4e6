// SPDX-License-Identifier: Apache-2.0
// Correct programs that a careless checker would blame: memory.
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "corpus.h"

namespace {

CORRECT(broadcast_input) {
  const Pair pair;
  elu({pair.source, {4}, {0}, 0}, {pair.target, {4}, {1}, 0}, first);
}

CORRECT(reversed_and_transposed_views) {
  const Pair pair;
  elu({pair.source, {4}, {-1}, 3}, {pair.target, {4}, {1}, 0}, first);
  elu({pair.source, {2, 2}, {1, 2}, 0}, {pair.target, {2, 2}, {1, 2}, 0}, first);
}

CORRECT(in_place_on_a_view) {
  const Pair pair;
  const View odd{pair.source, {2}, {2}, 1};
  elu(odd, odd, first);
}

CORRECT(neighbours_in_one_allocation) {
  void* memory = raw(32);
  OK(aclrtMemset(memory, 32, 0, 16));
  elu(4, memory, at(memory, 4), first);
  OK(aclrtSynchronizeStream(first));
  host_floats(memory, 8);
  OK(aclrtFree(memory));
}

CORRECT(only_what_was_written_is_read) {
  const Pair pair;
  void* memory = raw(64);
  elu({pair.source, {4}, {1}, 0}, {memory, {4}, {3}, 1}, first);
  elu({memory, {4}, {3}, 1}, {pair.target, {4}, {1}, 0}, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
}

CORRECT(tensors_over_mapped_pieces) {
  const Mapped memory(2);
  const int64_t count = Mapped::kUnit / sizeof(float) + 1;
  OK(aclrtMemset(memory.start, 2 * Mapped::kUnit, 0, count * sizeof(float)));
  elu(count, memory.start, memory.start, first);
  OK(aclrtSynchronizeStream(first));
  host_floats(memory.start, count);
}

// Two numbers of four bits share a byte; a column of them is every other byte here.
CORRECT(halves_of_bytes) {
  void* weight = raw(32 * 2);
  OK(aclrtMemset(weight, 64, 0x21, 64));
  void *x = raw(64), *scale = raw(8), *y = raw(8);
  OK(aclrtMemset(x, 64, 0, 64));
  OK(aclrtMemset(scale, 8, 0, 8));
  const int64_t rows = 1, inputs = 32, outputs = 4;
  const auto half = [](std::vector<int64_t> shape, void* memory) {
    return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND,
                           shape.data(), shape.size(), memory);
  };
  const int64_t shape[] = {inputs, outputs}, strides[] = {1, inputs}, storage = inputs * outputs;
  aclTensor* small =
      aclCreateTensor(shape, 2, ACL_INT4, strides, 0, ACL_FORMAT_ND, &storage, 1, weight);
  aclTensor *left = half({rows, inputs}, x), *scales = half({outputs}, scale);
  aclTensor* product = half({rows, outputs}, y);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(left, small, scales, nullptr, nullptr, nullptr,
                                                   nullptr, 0, product, &size, &executor));
  void* workspace = size > 0 ? raw(size) : nullptr;
  OK(aclnnWeightQuantBatchMatmulV2(workspace, size, executor, first));
  OK(aclrtSynchronizeStream(first));
  for (aclTensor* each : {small, left, scales, product}) aclDestroyTensor(each);
  for (void* each : {weight, x, scale, y}) OK(aclrtFree(each));
  if (workspace != nullptr) OK(aclrtFree(workspace));
}

CORRECT(rows_with_a_pitch) {
  void* memory = raw(4 * 16 - 8);
  const char rows[32] = {};
  char back[32];
  OK(aclrtMemcpy2d(memory, 16, rows, 8, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy2d(back, 8, memory, 16, 8, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  OK(aclrtFree(memory));
}

CORRECT(empty_tensors_have_no_memory) {
  const View nothing{nullptr, {0}, {1}, 0};
  elu(nothing, nothing, first);
}

CORRECT(all_directions) {
  const Pair pair;
  float* host = pinned(16);
  float values[4];
  OK(aclrtMemcpy(values, 16, host, 16, ACL_MEMCPY_HOST_TO_HOST));
  OK(aclrtMemcpy(pair.target, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_DEVICE));
  OK(aclrtMemcpy(pair.target, 16, values, 16, ACL_MEMCPY_DEFAULT));
  OK(aclrtMemcpy(values, 16, pair.target, 16, ACL_MEMCPY_DEFAULT));
  OK(aclrtMemcpy(host, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_HOST));
  OK(aclrtMemcpy(pair.target, 16, host, 16, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtFreeHost(host));
}

CORRECT(pinned_memory_after_its_copies) {
  const Pair pair;
  const aclrtEvent event = new_event();
  float* memory = pinned(16);
  for (int i = 0; i < 3; ++i) {
    std::memset(memory, 0, 16);
    OK(aclrtMemcpyAsync(pair.source, 16, memory, 16, ACL_MEMCPY_HOST_TO_DEVICE, first));
    elu(4, pair.source, pair.target, first);
    OK(aclrtMemcpyAsync(memory, 16, pair.target, 16, ACL_MEMCPY_DEVICE_TO_HOST, first));
    if (i == 0) OK(aclrtSynchronizeStream(first));
    if (i == 1) OK(aclrtSynchronizeDevice());
    if (i == 2) OK(aclrtRecordEvent(event, first));
    if (i == 2) OK(aclrtSynchronizeEvent(event));
    REQUIRE(memory[0] == 0);
  }
  OK(aclrtFreeHost(memory));
  OK(aclrtDestroyEvent(event));
}

CORRECT(pinned_input_read_meanwhile) {
  const Pair pair;
  float* memory = pinned(16);
  memory[1] = 3;
  OK(aclrtMemcpyAsync(pair.source, 16, memory, 16, ACL_MEMCPY_HOST_TO_DEVICE, first));
  REQUIRE(memory[1] == 3);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(memory));
}

// Slots of a ring that share pages: one is copied while the next is filled.
CORRECT(ring_of_pinned_slots) {
  constexpr int kSlots = 8;
  constexpr size_t kBytes = 1000;
  void* memory = raw(kSlots * kBytes);
  auto* ring = reinterpret_cast<char*>(pinned(kSlots * kBytes));
  for (int i = 0; i < kSlots; ++i) {
    std::memset(ring + i * kBytes, i, kBytes);
    OK(aclrtMemcpyAsync(static_cast<char*>(memory) + i * kBytes, kBytes, ring + i * kBytes, kBytes,
                        ACL_MEMCPY_HOST_TO_DEVICE, first));
  }
  OK(aclrtSynchronizeStream(first));
  std::memset(ring, 0, kSlots * kBytes);
  OK(aclrtFree(memory));
  OK(aclrtFreeHost(ring));
}

CORRECT(two_copies_of_one_pinned_buffer) {
  const Pair pair, other;
  float* memory = pinned(16);
  OK(aclrtMemcpyAsync(pair.source, 16, memory, 16, ACL_MEMCPY_HOST_TO_DEVICE, first));
  OK(aclrtMemcpyAsync(other.source, 16, memory, 16, ACL_MEMCPY_HOST_TO_DEVICE, second));
  OK(aclrtSynchronizeStream(first));
  OK(aclrtSynchronizeStream(second));
  memory[0] = 1;
  OK(aclrtFreeHost(memory));
}

CORRECT(workspace_of_one_stream) {
  const Pair pair;
  void* workspace = raw(64);
  elu(4, pair.source, pair.target, first, workspace, 64);
  elu(4, pair.target, pair.source, first, workspace, 64);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(workspace));
}

CORRECT(what_it_asked_for) {
  const Pair pair;
  void* workspace = nullptr;
  layer_norm(4, pair.source, pair.target, first,
             [&](uint64_t size) { return workspace = raw(size); });
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(workspace));
}

CORRECT(peers_share_memory) {
  const Pair pair;
  aclrtStream stream = nullptr;
  OK(aclrtSetDevice(1));
  OK(aclrtDeviceEnablePeerAccess(0, 0));
  OK(aclrtCreateStream(&stream));
  void* target = raw(16);
  OK(aclrtMemcpyAsync(target, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(pair.source, 16, target, 16, ACL_MEMCPY_DEVICE_TO_DEVICE));
  OK(aclrtFree(target));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(1));
  OK(aclrtSetDevice(0));
  OK(aclrtResetDevice(0));
}

CORRECT(repeatable_executor) {
  const Pair pair;
  aclTensor *x = tensor(4, pair.source), *y = tensor(4, pair.target);
  aclOpExecutor* executor = prepare(x, y);
  OK(aclSetAclOpExecutorRepeatable(executor));
  for (int i = 0; i < 3; ++i) OK(aclnnElu(nullptr, 0, executor, first));
  OK(aclDestroyAclOpExecutor(executor));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

CORRECT(context_of_its_own) {
  aclrtContext primary = nullptr, context = nullptr;
  OK(aclrtGetCurrentContext(&primary));
  OK(aclrtCreateContext(&context, 0));
  elu({nullptr, {0}, {1}, 0}, {nullptr, {0}, {1}, 0}, nullptr);
  OK(aclrtDestroyContext(context));
  OK(aclrtSetCurrentContext(primary));
}

void* kept = nullptr;
struct FreesAtExit {
  ~FreesAtExit() { aclrtFree(kept); }
} frees_at_exit;

CORRECT(freed_after_finalize) { kept = raw(16); }

// Indices choose what is read: the rest of a table may be anything.
CORRECT(a_table_that_is_written_in_part) {
  const int64_t places[] = {1, 0}, shape[] = {2};
  const float values[] = {1, 2};
  void *table = raw(64), *index = raw(16), *result = raw(8);
  OK(aclrtMemcpy(table, 64, values, 8, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy(index, 16, places, 16, ACL_MEMCPY_HOST_TO_DEVICE));
  aclTensor *x = tensor(16, table), *y = tensor(2, result);
  aclTensor* i = aclCreateTensor(shape, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, shape, 1, index);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnIndexSelectGetWorkspaceSize(x, 0, i, y, &size, &executor));
  OK(aclnnIndexSelect(nullptr, 0, executor, first));
  OK(aclrtSynchronizeStream(first));
  for (aclTensor* each : {x, y, i}) aclDestroyTensor(each);
  for (void* each : {table, index, result}) OK(aclrtFree(each));
}

// What is overwritten or left alone is not read.
CORRECT(scattered_into_unwritten_memory) {
  const Scattered of_elements, of_slices, of_values, of_rows, of_stretches;
  of_elements.elements(0);
  of_slices.slices();
  of_values.values(false);
  of_rows.rows();
  of_stretches.stretch();
  OK(aclrtSynchronizeStream(first));
  float values[2];
  OK(aclrtMemcpy(values, 8, of_slices.memory, 8, ACL_MEMCPY_DEVICE_TO_HOST));
}

// Phase 2 has waited: neither a synchronisation nor the rest of the memory is missing.
CORRECT(as_much_as_the_data_gave) {
  const Pair pair;
  void* places = raw(32);
  int64_t found[4];
  const size_t bytes = find_places(pair.source, places, first);
  OK(aclrtMemcpy(found, 32, places, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  OK(aclrtFree(places));
}

// Nobody has to wait for a stream that gives memory back itself, whoever then trims the pool.
CORRECT(another_stream_trims_a_pool) {
  const Pool pool;
  void* memory = pool.take(16, first);
  OK(aclrtMemsetAsync(memory, 16, 0, 16, first));
  OK(aclrtMemPoolFreeAsync(memory, first));
  while (pool.reserved() != 0) OK(aclrtSynchronizeStream(second));
}

CORRECT(memory_of_a_pool_goes_round) {
  const Pool pool;
  const Pair pair;
  for (int round = 0; round < 3; ++round) {
    void* memory = pool.take(16, first);
    elu(4, pair.source, memory, first);
    elu(4, memory, pair.target, first);
    OK(aclrtMemPoolFreeAsync(memory, first));
  }
  void* freed_at_once = pool.take(16, first);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(freed_at_once));
}

CORRECT(free_in_a_stream_that_waits) {
  const Pool pool;
  aclrtEvent event = nullptr;
  OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  void* memory = pool.take(16, first);
  OK(aclrtMemsetAsync(memory, 16, 0, 16, first));
  OK(aclrtRecordEvent(event, first));
  OK(aclrtStreamWaitEvent(second, event));
  OK(aclrtMemPoolFreeAsync(memory, second));
  OK(aclrtSynchronizeStream(second));
  OK(aclrtDestroyEvent(event));
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }
