// SPDX-License-Identifier: Apache-2.0
// A typical sequence of calls: everything is made, used, asked and ended.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"

class Sequence {
 public:
  // May calls fail, or must all succeed?
  explicit Sequence(bool may_fail) : may_fail_(may_fail) {}

  bool run() {
    begin();
    use_memory();
    use_streams();
    for (const int64_t count : {16, 100000}) use_operators(count);
    use_objects();
    use_callbacks();
    use_refusals();
    end();
    return good_;
  }

 private:
  static bool documented(int code) {
    if (code == ACL_SUCCESS || code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_INTERNAL_ERROR) {
      return true;
    }
    for (const int family : {100, 107, 161, 207, 361, 507, 561}) {
      if (code / 1000 == family) return true;
    }
    return false;
  }

  void expect(bool good, const char* call, int code) {
    if (good) return;
    good_ = false;
    const char* text = aclGetRecentErrMsg();
    std::printf("%s: %d %s\n", call, code, text == nullptr ? "" : text);
  }
  void check(int code, const char* call) {
    expect(may_fail_ ? documented(code) : code == ACL_SUCCESS, call, code);
  }
  void refused(int code, const char* call) {
    expect(documented(code) && code != ACL_SUCCESS, call, code);
  }
#define CHECK(call) check(call, #call)
#define REFUSED(call) refused(call, #call)

  void begin() {
    const int code = aclInit(nullptr);
    check(code == ACL_ERROR_REPEAT_INITIALIZE ? ACL_SUCCESS : code, "aclInit");
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateContext(&context_, 0));
    CHECK(aclrtCreateStream(&stream_));
    CHECK(aclrtCreateStreamWithConfig(&other_, 0, ACL_STREAM_FAST_SYNC));
    CHECK(aclrtCreateEvent(&event_));
    CHECK(aclrtCreateEventWithFlag(&gate_, ACL_EVENT_SYNC));
    CHECK(aclrtMalloc(&memory_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost(&host_, kBytes));
  }

  void use_memory() {
    char pageable[64] = {};
    CHECK(aclrtMemset(memory_, kBytes, 1, kBytes));
    CHECK(aclrtMemcpy(host_, kBytes, memory_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpyAsync(memory_, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
    CHECK(aclrtMemcpyAsync(memory_, kBytes, host_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
    CHECK(aclrtMemsetAsync(memory_, kBytes, 0, kBytes, stream_));
    CHECK(aclrtSynchronizeStream(stream_));
    size_t free = 0, total = 0;
    CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  }

  void use_streams() {
    if (gate_ == nullptr || other_ == nullptr) return;
    CHECK(aclrtStreamWaitEvent(stream_, gate_));
    CHECK(aclrtMemsetAsync(memory_, kBytes, 0, kBytes, stream_));
    void* freed = nullptr;
    CHECK(aclrtMalloc(&freed, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtFree(freed));
    // The stream would wait for ever for a record that failed; the event's end wakes it, too.
    if (aclrtRecordEvent(gate_, other_) != ACL_SUCCESS) {
      CHECK(aclrtDestroyEvent(gate_));
      gate_ = nullptr;
    }
    CHECK(aclrtRecordEvent(event_, stream_));
    CHECK(aclrtSynchronizeEvent(event_));
    CHECK(aclrtSynchronizeDevice());
  }

  aclTensor* tensor(int64_t count) {
    return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory_);
  }

  void use_operators(int64_t count) {
    float one = 1;
    aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
    aclTensor* x = tensor(count);
    aclTensor* y = tensor(count);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
    if (executor != nullptr) CHECK(aclnnElu(nullptr, size, executor, stream_));
    executor = nullptr;
    CHECK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
    if (executor != nullptr) {
      CHECK(aclSetAclOpExecutorRepeatable(executor));
      CHECK(aclnnElu(nullptr, size, executor, stream_));
      CHECK(aclnnElu(nullptr, size, executor, nullptr));
      if (aclDestroyAclOpExecutor(executor) != 0) CHECK(aclDestroyAclOpExecutor(executor));
    }
    CHECK(aclrtSynchronizeDevice());
    CHECK(aclDestroyTensor(x));
    CHECK(aclDestroyTensor(y));
    CHECK(aclDestroyScalar(scalar));
  }

  void use_objects() {
    const int64_t numbers[] = {1, 2, 3};
    const float floats[] = {1, 2};
    const bool bools[] = {true};
    const aclTensor* tensors[] = {tensor(1)};
    const aclScalar* scalars[] = {aclCreateScalar(const_cast<float*>(floats), ACL_FLOAT)};
    CHECK(aclDestroyIntArray(aclCreateIntArray(numbers, 3)));
    CHECK(aclDestroyFloatArray(aclCreateFloatArray(floats, 2)));
    CHECK(aclDestroyBoolArray(aclCreateBoolArray(bools, 1)));
    aclTensorList* list = aclCreateTensorList(tensors, 1);
    list != nullptr ? CHECK(aclDestroyTensorList(list)) : CHECK(aclDestroyTensor(tensors[0]));
    aclScalarList* other = aclCreateScalarList(scalars, 1);
    other != nullptr ? CHECK(aclDestroyScalarList(other)) : CHECK(aclDestroyScalar(scalars[0]));
    aclDataBuffer* buffer = aclCreateDataBuffer(memory_, kBytes);
    if (buffer != nullptr) CHECK(aclDestroyDataBuffer(buffer));
  }

  void use_callbacks() {
    const auto thread = static_cast<uint64_t>(pthread_self());
    const auto nothing = [](void*) {};
    CHECK(aclrtLaunchHostFunc(stream_, nothing, nullptr));
    if (aclrtSubscribeReport(thread, stream_) == ACL_SUCCESS) {
      if (aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, stream_) == ACL_SUCCESS) {
        CHECK(aclrtProcessReport(1000));
      }
      CHECK(aclrtUnSubscribeReport(thread, stream_));
    }
    CHECK(aclrtSynchronizeStream(stream_));
  }

  // The text of a failure takes memory as well.
  void use_refusals() {
    char here = 0;
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    REFUSED(aclrtFree(&here));
    REFUSED(aclrtSetDevice(-1));
    REFUSED(
        aclnnEluGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, nullptr, &size, &executor));
    REFUSED(
        aclnnEluGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &executor));
    REFUSED(aclnnElu(nullptr, 0, nullptr, stream_));
    REFUSED(aclInit("/"));
    aclGetRecentErrMsg();
  }

  // Ends are tried again: one that failed for want of memory has happened or can be repeated.
#define END(call)                      \
  do {                                 \
    const int code = call;             \
    if (code == ACL_ERROR_BAD_ALLOC) { \
      static_cast<void>(call);         \
    } else {                           \
      check(code, #call);              \
    }                                  \
  } while (false)

  void end() {
    if (gate_ != nullptr) END(aclrtDestroyEvent(gate_));
    if (event_ != nullptr) END(aclrtDestroyEvent(event_));
    if (memory_ != nullptr) END(aclrtFree(memory_));
    if (host_ != nullptr) END(aclrtFreeHost(host_));
    if (other_ != nullptr) END(aclrtDestroyStreamForce(other_));
    if (stream_ != nullptr) END(aclrtDestroyStream(stream_));
    if (context_ != nullptr) END(aclrtDestroyContext(context_));
    END(aclrtResetDeviceForce(0));
    END(aclFinalize());
  }
#undef CHECK
#undef REFUSED
#undef END

  static constexpr size_t kBytes = 400000;
  const bool may_fail_;
  bool good_ = true;
  aclrtContext context_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtStream other_ = nullptr;
  aclrtEvent event_ = nullptr;
  aclrtEvent gate_ = nullptr;
  void* memory_ = nullptr;
  void* host_ = nullptr;
};

inline bool run_sequence(bool may_fail) { return Sequence(may_fail).run(); }
