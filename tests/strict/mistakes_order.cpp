// SPDX-License-Identifier: Apache-2.0
// Work that nothing orders, or not as the program thinks.
#include "corpus.h"

namespace {

MISTAKE(two_writers, "race") {
  const Pair pair, other;
  elu(4, pair.source, pair.target, first);
  elu(4, other.source, pair.target, second);
}

MISTAKE(overwritten_while_read, "race") {
  const Pair pair, other;
  elu(4, pair.source, pair.target, first);
  elu(4, other.source, pair.source, second);
}

MISTAKE(one_element_in_common, "race") {
  const Pair pair, other;
  elu(2, other.source, pair.target, first);
  elu(3, other.source, at(pair.target, 1), second);
}

MISTAKE(fill_on_another_stream, "race") {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  OK(aclrtMemsetAsync(pair.target, 16, 0, 16, second));
}

MISTAKE(default_stream_is_one_more, "race") {
  const Pair pair, other;
  elu(4, pair.source, pair.target, nullptr);
  elu(4, pair.target, other.target, first);
}

MISTAKE(event_recorded_too_early, "race") {
  const Pair pair, other;
  const aclrtEvent event = new_event();
  OK(aclrtRecordEvent(event, first));
  elu(4, pair.source, pair.target, first);
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.target, other.target, second);
  OK(aclrtDestroyEvent(event));
}

MISTAKE(another_stream_waits, "race") {
  const Pair pair, other;
  const aclrtEvent event = new_event();
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  OK(aclrtStreamWaitEvent(third, event));
  elu(4, pair.target, other.target, second);
  OK(aclrtDestroyEvent(event));
}

MISTAKE(waits_after_the_work, "race") {
  const Pair pair, other;
  const aclrtEvent event = new_event();
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  elu(4, pair.target, other.target, second);
  OK(aclrtStreamWaitEvent(second, event));
  OK(aclrtDestroyEvent(event));
}

MISTAKE(waits_for_a_later_record_elsewhere, "race") {
  const Pair pair, other;
  const aclrtEvent event = new_sync_event();
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.target, other.target, second);
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, third));
  OK(aclrtSynchronizeDevice());
  OK(aclrtDestroyEvent(event));
}

MISTAKE(work_after_the_awaited_record, "race") {
  const Pair pair, other;
  const aclrtEvent event = new_sync_event();
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.target, other.target, second);
  OK(aclrtRecordEvent(event, first));
  elu(4, pair.source, pair.target, first);
  OK(aclrtSynchronizeDevice());
  OK(aclrtDestroyEvent(event));
}

MISTAKE(freed_behind_an_event, "use after free") {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  void* source = device_floats({1, 2, 3, 4});
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, source, pair.target, second);
  OK(aclrtFree(source));
  OK(aclrtRecordEvent(event, first));
  OK(aclrtSynchronizeDevice());
  OK(aclrtDestroyEvent(event));
}

MISTAKE(one_of_two_uses_awaited, "use after free") {
  const Pair pair, other;
  void* source = device_floats({1, 2, 3, 4});
  elu(4, source, pair.target, first);
  elu(4, source, other.target, second);
  OK(aclrtSynchronizeStream(second));
  OK(aclrtFree(source));
}

MISTAKE(awaits_another_stream, "missing synchronisation") {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  OK(aclrtSynchronizeStream(second));
  host_floats(pair.target, 4);
}

MISTAKE(awaits_an_early_event, "missing synchronisation") {
  const Pair pair;
  const aclrtEvent event = new_event();
  OK(aclrtRecordEvent(event, first));
  elu(4, pair.source, pair.target, first);
  OK(aclrtSynchronizeEvent(event));
  host_floats(pair.target, 4);
  OK(aclrtDestroyEvent(event));
}

MISTAKE(input_replaced_too_early, "race") {
  const Pair pair;
  const float values[4] = {4, 3, 2, 1};
  elu(4, pair.source, pair.target, first);
  OK(aclrtMemcpy(pair.source, 16, values, 16, ACL_MEMCPY_HOST_TO_DEVICE));
}

MISTAKE(pinned_result_read_early, "missing synchronisation") {
  const Pair pair;
  float* result = pinned(16);
  elu(4, pair.source, pair.target, first);
  OK(aclrtMemcpyAsync(result, 16, pair.target, 16, ACL_MEMCPY_DEVICE_TO_HOST, first));
  std::printf("%f\n", result[0]);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(result));
}

MISTAKE(pinned_result_cleared_early, "missing synchronisation") {
  const Pair pair;
  float* result = pinned(16);
  OK(aclrtMemcpyAsync(result, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_HOST, first));
  std::memset(result, 0, 16);
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(result));
}

MISTAKE(pinned_input_overwritten_early, "race") {
  const Pair pair;
  float* input = pinned(16);
  OK(aclrtMemcpyAsync(pair.source, 16, input, 16, ACL_MEMCPY_HOST_TO_DEVICE, first));
  input[3] = 5;
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(input));
}

MISTAKE(pinned_page_overwritten_early, "race") {
  constexpr size_t kBytes = 4 * 4096;
  void* memory = raw(kBytes);
  float* input = pinned(kBytes);
  OK(aclrtMemcpyAsync(memory, kBytes / 2, input, kBytes / 2, ACL_MEMCPY_HOST_TO_DEVICE, first));
  input[kBytes / 4 - 1] = 1;  // the half that nobody copies
  input[1500] = 2;
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFree(memory));
  OK(aclrtFreeHost(input));
}

MISTAKE(pinned_result_read_behind_an_event, "missing synchronisation") {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  float* result = pinned(16);
  OK(aclrtStreamWaitEvent(first, event));
  OK(aclrtMemcpyAsync(result, 16, pair.source, 16, ACL_MEMCPY_DEVICE_TO_HOST, first));
  std::printf("%f\n", result[0]);
  OK(aclrtRecordEvent(event, second));
  OK(aclrtSynchronizeStream(first));
  OK(aclrtFreeHost(result));
  OK(aclrtDestroyEvent(event));
}

MISTAKE(callback_never_processed, "callback never processed") {
  const auto thread = static_cast<uint64_t>(pthread_self());
  OK(aclrtSubscribeReport(thread, first));
  OK(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_NO_BLOCK, first));
  OK(aclrtSynchronizeStream(first));
  OK(aclrtUnSubscribeReport(thread, first));
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }
