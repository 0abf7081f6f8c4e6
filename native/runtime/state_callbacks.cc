// SPDX-License-Identifier: Apache-2.0
#include "runtime/state_callbacks.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/immortal.h"
#include "runtime/device.h"

// What a program may ask while its function is told of a failed task.
struct aclrtExceptionInfo {
  uint32_t task;  // counted among the failed ones
  uint32_t stream;
  uint32_t thread;
  uint32_t device;
  uint32_t code;
};

namespace aclhost {
namespace {

constexpr uint32_t kUnknown = 0xFFFFFFFF;

// Functions by the names that they were registered under.
template <typename Function>
class Named {
 public:
  using Entry = std::pair<Function, void*>;

  int32_t set(const Call& call, const char* name, Function function, void* data) {
    if (name == nullptr || *name == '\0') return call.null("regName");
    const std::lock_guard<std::mutex> lock(mutex_);
    if (function == nullptr) {
      if (entries_.erase(name) == 0) {
        return call.fail(ACL_ERROR_RT_PARAM_INVALID, "regName",
                         std::string(name) + " has no function");
      }
    } else if (!entries_.emplace(name, Entry{function, data}).second) {
      return call.fail(
          ACL_ERROR_RT_PARAM_INVALID, "regName",
          std::string(name) + " has a function already; pass a null function to take it back");
    }
    count_ = static_cast<int>(entries_.size());
    return ACL_SUCCESS;
  }

  // Calls visit(function, data) for each, in the order of the names.
  template <typename Visit>
  void for_each(const Visit& visit) {
    if (count_.load(std::memory_order_acquire) == 0) return;
    std::map<std::string, Entry> entries;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      entries = entries_;
    }
    for (const auto& [name, entry] : entries) visit(entry.first, entry.second);
  }

 private:
  std::atomic<int> count_{0};
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

Immortal<Named<aclrtDeviceStateCallback>> device_functions;
Immortal<Named<aclrtStreamStateCallback>> stream_functions;
Immortal<Named<aclrtDeviceTaskAbortCallback>> abort_functions;

struct ExceptionFunctions {
  std::mutex mutex;
  aclrtExceptionInfoCallback set = nullptr;  // the one of the old function
  std::vector<aclrtExceptionInfoCallback> registered;
};

Immortal<ExceptionFunctions> exception_functions;
std::atomic<uint32_t> failed_tasks{0};

// What the thread's functions are told at the moment; any other pointer may lead anywhere.
thread_local const aclrtExceptionInfo* told = nullptr;

uint32_t field(const char* name, const aclrtExceptionInfo* info,
               uint32_t aclrtExceptionInfo::* member) {
  if (info != nullptr && info == told) return info->*member;
  report(ACL_ERROR_INVALID_PARAM, name, "info",
         hex(info) + " is not what the callback was given, or the callback has returned");
  return kUnknown;
}

}  // namespace

void tell_device_state(int32_t device, aclrtDeviceState state) {
  device_functions->for_each(
      [&](aclrtDeviceStateCallback function, void* data) { function(device, state, data); });
}

void tell_stream_state(aclrtStream stream, aclrtStreamState state) {
  stream_functions->for_each(
      [&](aclrtStreamStateCallback function, void* data) { function(stream, state, data); });
}

int32_t tell_task_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout) {
  int32_t first = ACL_SUCCESS;
  abort_functions->for_each([&](aclrtDeviceTaskAbortCallback function, void* data) {
    if (first == ACL_SUCCESS) first = function(device, stage, timeout, data);
  });
  return first;
}

void tell_exception(const Status& status, int32_t stream, int32_t device) {
  std::vector<aclrtExceptionInfoCallback> functions;
  {
    const std::lock_guard<std::mutex> lock(exception_functions->mutex);
    functions = exception_functions->registered;
    if (exception_functions->set != nullptr) functions.push_back(exception_functions->set);
  }
  aclrtExceptionInfo info{failed_tasks++, static_cast<uint32_t>(stream),
                          static_cast<uint32_t>(gettid()), static_cast<uint32_t>(device),
                          static_cast<uint32_t>(status.code())};
  told = &info;
  for (const auto function : functions) function(&info);
  told = nullptr;
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtRegDeviceStateCallback(const char* regName,
                                                aclrtDeviceStateCallback callback, void* args) {
  return acl_call("aclrtRegDeviceStateCallback", [&](const Call& call) {
    return device_functions->set(call, regName, callback, args);
  });
}

extern "C" aclError aclrtRegStreamStateCallback(const char* regName,
                                                aclrtStreamStateCallback callback, void* args) {
  return acl_call("aclrtRegStreamStateCallback", [&](const Call& call) {
    return stream_functions->set(call, regName, callback, args);
  });
}

extern "C" aclError aclrtSetDeviceTaskAbortCallback(const char* regName,
                                                    aclrtDeviceTaskAbortCallback callback,
                                                    void* args) {
  return acl_call("aclrtSetDeviceTaskAbortCallback", [&](const Call& call) {
    return abort_functions->set(call, regName, callback, args);
  });
}

extern "C" aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return acl_call("aclrtSetExceptionInfoCallback", [&](const Call&) {
    const std::lock_guard<std::mutex> lock(exception_functions->mutex);
    exception_functions->set = callback;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return acl_call("aclrtExceptionInfoCallbackRegister", [&](const Call& call) {
    if (callback == nullptr) return call.null("callback");
    const std::lock_guard<std::mutex> lock(exception_functions->mutex);
    auto& all = exception_functions->registered;
    if (std::find(all.begin(), all.end(), callback) == all.end()) all.push_back(callback);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return acl_call("aclrtExceptionInfoCallbackUnregister", [&](const Call& call) {
    if (callback == nullptr) return call.null("callback");
    const std::lock_guard<std::mutex> lock(exception_functions->mutex);
    auto& all = exception_functions->registered;
    all.erase(std::remove(all.begin(), all.end(), callback), all.end());
    return ACL_SUCCESS;
  });
}

extern "C" uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return field("aclrtGetTaskIdFromExceptionInfo", info, &aclrtExceptionInfo::task);
}

extern "C" uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return field("aclrtGetStreamIdFromExceptionInfo", info, &aclrtExceptionInfo::stream);
}

extern "C" uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return field("aclrtGetThreadIdFromExceptionInfo", info, &aclrtExceptionInfo::thread);
}

extern "C" uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return field("aclrtGetDeviceIdFromExceptionInfo", info, &aclrtExceptionInfo::device);
}

extern "C" uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return field("aclrtGetErrorCodeFromExceptionInfo", info, &aclrtExceptionInfo::code);
}
