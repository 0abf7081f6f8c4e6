// SPDX-License-Identifier: Apache-2.0
// Threads that end in the middle of a call, and functions that throw: streams go on.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "../clients/client.h"

namespace {

constexpr int64_t kCount = 1 << 20;

void throw_text(void*) { throw std::runtime_error("thrown by the program"); }
void throw_number(void*) { throw 42; }
void end_thread(void*) { pthread_exit(nullptr); }
void count(void* number) { ++*static_cast<std::atomic<int>*>(number); }

aclrtStream new_stream() {
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  return stream;
}

// A BLOCK stream goes on although its callback threw.
void callback_throws() {
  for (const aclrtCallback callback : {throw_text, throw_number}) {
    aclrtStream stream = new_stream();
    const auto self = static_cast<uint64_t>(pthread_self());
    OK(aclrtSubscribeReport(self, stream));
    OK(aclrtLaunchCallback(callback, nullptr, ACL_CALLBACK_BLOCK, stream));
    REQUIRE(aclrtProcessReport(10000) != ACL_SUCCESS);
    OK(aclrtSynchronizeStreamWithTimeout(stream, 10000));
    OK(aclrtUnSubscribeReport(self, stream));
    OK(aclrtDestroyStream(stream));
  }
}

// The task fails, the tasks behind it run.
void host_function_ends_its_thread() {
  for (const aclrtHostFunc function : {end_thread, throw_text, throw_number}) {
    aclrtStream stream = new_stream();
    std::atomic<int> calls{0};
    OK(aclrtLaunchHostFunc(stream, count, &calls));
    OK(aclrtLaunchHostFunc(stream, function, nullptr));
    OK(aclrtLaunchHostFunc(stream, count, &calls));
    REQUIRE(aclrtSynchronizeStreamWithTimeout(stream, 10000) == ACL_ERROR_RT_INTERNAL_ERROR);
    REQUIRE(calls == 2);
    OK(aclrtDestroyStream(stream));
  }
}

// A thread that waits can be cancelled, whatever it waits for, and the stream stays usable.
void cancelled_while_waiting() {
  aclrtStream stream = new_stream();
  aclrtEvent event = nullptr;
  OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  OK(aclrtStreamWaitEvent(stream, event));
  aclrtEvent behind = nullptr;
  OK(aclrtCreateEvent(&behind));
  OK(aclrtRecordEvent(behind, stream));
  for (int what = 0; what < 3; ++what) {
    std::thread waiter([&] {
      OK(aclrtSetDevice(0));
      if (what == 0) aclrtSynchronizeStream(stream);
      if (what == 1) aclrtSynchronizeDevice();
      if (what == 2) aclrtSynchronizeEvent(behind);
    });
    usleep(50000);
    REQUIRE(pthread_cancel(waiter.native_handle()) == 0);
    waiter.join();
  }
  aclrtStream other = new_stream();
  OK(aclrtRecordEvent(event, other));
  OK(aclrtSynchronizeStreamWithTimeout(stream, 10000));
  OK(aclrtDestroyEvent(event));
  OK(aclrtDestroyEvent(behind));
  OK(aclrtDestroyStream(other));
  OK(aclrtDestroyStream(stream));
}

aclrtStream failing = nullptr;
aclrtStream sound = nullptr;

// Also after a small task of another stream, which this thread runs meanwhile.
void wait_for_failing(aclrtExceptionInfo*) {
  OK(aclrtSetDevice(0));
  void* memory = device_floats({1});
  OK(aclrtMemsetAsync(memory, sizeof(float), 0, sizeof(float), sound));
  OK(aclrtSynchronizeStream(sound));
  aclrtSynchronizeStream(failing);
  OK(aclrtFree(memory));
}

// Who is told of a failure may wait for the stream, whichever thread ran the task.
void told_of_a_failure() {
  failing = new_stream();
  sound = new_stream();
  OK(aclrtSetExceptionInfoCallback(wait_for_failing));
  float value = 1;
  aclScalar* one = aclCreateScalar(&value, ACL_FLOAT);
  for (const int64_t count : {int64_t{16}, kCount}) {
    aclTensor* nowhere = tensor(count, reinterpret_cast<void*>(16));
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    OK(aclnnEluGetWorkspaceSize(nowhere, one, one, one, nowhere, &size, &executor));
    OK(aclnnElu(nullptr, size, executor, failing));
    REQUIRE(aclrtSynchronizeStream(failing) != ACL_SUCCESS);
    OK(aclDestroyTensor(nowhere));
  }
  OK(aclDestroyScalar(one));
  OK(aclrtSetExceptionInfoCallback(nullptr));
  OK(aclrtDestroyStream(failing));
  OK(aclrtDestroyStream(sound));
}

std::atomic<bool> handled_elsewhere{false};
pthread_t main_thread;

// The process's signals go to the program's threads.
void signals_reach_the_program() {
  aclrtStream stream = new_stream();
  void* memory = device_floats(std::vector<float>(kCount, 1));
  float value = 1;
  aclScalar* one = aclCreateScalar(&value, ACL_FLOAT);
  aclTensor* x = tensor(kCount, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, one, one, one, x, &size, &executor));
  OK(aclnnElu(nullptr, size, executor, stream));  // starts the stream's thread and the workers
  OK(aclrtSynchronizeStream(stream));
  main_thread = pthread_self();
  struct sigaction action{};
  action.sa_handler = [](int) {
    if (pthread_equal(pthread_self(), main_thread) == 0) handled_elsewhere = true;
  };
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  kill(getpid(), SIGUSR1);  // any thread that does not block it would get it
  usleep(50000);
  REQUIRE(!handled_elsewhere);
  OK(aclDestroyTensor(x));
  OK(aclDestroyScalar(one));
  OK(aclrtFree(memory));
  OK(aclrtDestroyStream(stream));
}

}  // namespace

int main() {
  alarm(120);
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  callback_throws();
  host_function_ends_its_thread();
  cancelled_while_waiting();
  told_of_a_failure();
  signals_reach_the_program();
  std::puts("ok");
}
