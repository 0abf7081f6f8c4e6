// SPDX-License-Identifier: Apache-2.0
// Correct programs that a careless checker would blame: order.
#include <atomic>
#include <chrono>
#include <thread>

#include "corpus.h"

namespace {

CORRECT(everyday) {
  const Pair pair;
  const aclrtEvent event = new_event();
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

CORRECT(halves_on_two_streams) {
  const Pair pair;
  elu(2, pair.source, pair.target, first);
  elu(2, at(pair.source, 2), at(pair.target, 2), second);
}

CORRECT(two_readers) {
  const Pair pair, other;
  elu(4, pair.source, pair.target, first);
  elu(4, pair.source, other.target, second);
}

CORRECT(even_and_odd_elements) {
  const Pair pair;
  elu({pair.source, {2}, {2}, 0}, {pair.target, {2}, {2}, 0}, first);
  elu({pair.source, {2}, {2}, 1}, {pair.target, {2}, {2}, 1}, second);
}

CORRECT(waits_before_the_record) {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.target, pair.source, second);
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  OK(aclrtSynchronizeDevice());
  OK(aclrtDestroyEvent(event));
}

CORRECT(waits_before_the_first_write) {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  void* fresh = raw(16);
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, fresh, pair.target, second);
  elu(4, pair.source, fresh, first);
  OK(aclrtRecordEvent(event, first));
  OK(aclrtSynchronizeDevice());
  OK(aclrtFree(fresh));
  OK(aclrtDestroyEvent(event));
}

CORRECT(chain_of_waits_before_records) {
  const Pair pair, other;
  const aclrtEvent one = new_sync_event(), two = new_sync_event();
  OK(aclrtStreamWaitEvent(third, two));
  elu(4, other.target, pair.source, third);
  OK(aclrtStreamWaitEvent(second, one));
  elu(4, pair.target, other.target, second);
  OK(aclrtRecordEvent(two, second));
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(one, first));
  OK(aclrtSynchronizeStream(third));
  host_floats(pair.source, 4);
  host_floats(other.target, 4);
  OK(aclrtDestroyEvent(one));
  OK(aclrtDestroyEvent(two));
}

CORRECT(event_destroyed_unrecorded) {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  OK(aclrtStreamWaitEvent(second, event));
  elu(4, pair.source, pair.target, second);
  OK(aclrtDestroyEvent(event));
  OK(aclrtSynchronizeStream(second));
  host_floats(pair.target, 4);
}

CORRECT(event_reset_and_used_again) {
  const Pair pair;
  const aclrtEvent event = new_sync_event();
  for (int i = 0; i < 3; ++i) {
    OK(aclrtStreamWaitEvent(second, event));
    elu(4, pair.target, pair.source, second);
    elu(4, pair.source, pair.target, first);
    OK(aclrtRecordEvent(event, first));
    OK(aclrtSynchronizeDevice());
    OK(aclrtResetEvent(event, first));
  }
  OK(aclrtDestroyEvent(event));
}

CORRECT(one_event_for_many_turns) {
  const Pair pair;
  const aclrtEvent event = new_event();
  for (int i = 0; i < 5; ++i) {
    elu(4, pair.source, pair.target, first);
    OK(aclrtRecordEvent(event, first));
    OK(aclrtStreamWaitEvent(second, event));
    elu(4, pair.target, pair.source, second);
    OK(aclrtRecordEvent(event, second));
    OK(aclrtStreamWaitEvent(first, event));
  }
  OK(aclrtDestroyEvent(event));
}

CORRECT(event_destroyed_right_away) {
  const Pair pair;
  const aclrtEvent event = new_event();
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  OK(aclrtStreamWaitEvent(second, event));
  OK(aclrtDestroyEvent(event));
  elu(4, pair.target, pair.source, second);
}

CORRECT(only_the_last_stream_is_awaited) {
  const Pair pair, other;
  const aclrtEvent one = new_event(), two = new_event();
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(one, first));
  OK(aclrtStreamWaitEvent(second, one));
  elu(4, pair.target, other.source, second);
  OK(aclrtRecordEvent(two, second));
  OK(aclrtStreamWaitEvent(third, two));
  elu(4, other.source, other.target, third);
  OK(aclrtSynchronizeStream(third));
  for (void* memory : {pair.target, other.source, other.target}) host_floats(memory, 4);
  OK(aclrtDestroyEvent(one));
  OK(aclrtDestroyEvent(two));
}

CORRECT(a_query_says_that_it_is_over) {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) OK(aclrtStreamQuery(first, &status));
  host_floats(pair.target, 4);
}

CORRECT(an_event_says_that_it_is_over) {
  const Pair pair;
  const aclrtEvent event = new_event();
  elu(4, pair.source, pair.target, first);
  OK(aclrtRecordEvent(event, first));
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) OK(aclrtQueryEventStatus(event, &status));
  host_floats(pair.target, 4);
  OK(aclrtDestroyEvent(event));
}

CORRECT(a_host_function_says_that_it_is_over) {
  const Pair pair;
  std::atomic<bool> over{false};
  elu(4, pair.source, pair.target, first);
  OK(aclrtLaunchHostFunc(
      first, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &over));
  while (!over) std::this_thread::yield();
  host_floats(pair.target, 4);
}

CORRECT(a_callback_says_that_it_is_over) {
  const Pair pair;
  bool over = false;
  const auto thread = static_cast<uint64_t>(pthread_self());
  OK(aclrtSubscribeReport(thread, first));
  elu(4, pair.source, pair.target, first);
  OK(aclrtLaunchCallback([](void* flag) { *static_cast<bool*>(flag) = true; }, &over,
                         ACL_CALLBACK_BLOCK, first));
  OK(aclrtProcessReport(-1));
  REQUIRE(over);
  host_floats(pair.target, 4);
  OK(aclrtUnSubscribeReport(thread, first));
}

CORRECT(a_destroyed_stream_is_over) {
  void *source = device_floats({1, 2, 3, 4}), *target = raw(16);
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  elu(4, source, target, stream);
  OK(aclrtDestroyStream(stream));
  host_floats(target, 4);
  OK(aclrtFree(source));
  OK(aclrtFree(target));
}

CORRECT(a_free_that_awaits_the_device) {
  const Pair pair;
  void* source = device_floats({1, 2, 3, 4});
  elu(4, source, pair.target, first);
  OK(aclrtFreeWithDevSync(source));
}

CORRECT(a_copy_of_ordinary_memory_awaits_its_stream) {
  const Pair pair;
  float values[4];
  elu(4, pair.source, pair.target, first);
  OK(aclrtMemcpyAsync(values, 16, pair.target, 16, ACL_MEMCPY_DEVICE_TO_HOST, first));
  REQUIRE(values[3] == 2);
}

CORRECT(a_stream_for_each_thread) {
  const auto work = [] {
    OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    OK(aclrtCreateStream(&stream));
    {
      void *source = device_floats({1, 2, 3, 4}), *target = raw(16);
      for (int i = 0; i < 20; ++i) elu(4, source, target, stream);
      OK(aclrtSynchronizeStream(stream));
      host_floats(target, 4);
      OK(aclrtFree(source));
      OK(aclrtFree(target));
    }
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
  };
  std::thread one(work), two(work), three(work);
  one.join();
  two.join();
  three.join();
}

CORRECT(another_thread_awaits) {
  const Pair pair;
  elu(4, pair.source, pair.target, first);
  std::thread([] {
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(first));
    OK(aclrtResetDevice(0));
  }).join();
  host_floats(pair.target, 4);
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }
