// SPDX-License-Identifier: Apache-2.0
// Functions of the program that run when a stream gets to them.
#include "runtime/callback.h"

#include <atomic>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/inbox.h"
#include "runtime/observed.h"
#include "runtime/timeout.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

constexpr Subscriptions::Names kCallbacks = {"callbacks", "stream", "threadId",
                                             "aclrtSubscribeReport", "aclrtUnSubscribeReport"};
constexpr Subscriptions::Names kHostFunctions = {"host functions", "exeStream", "hostFuncThreadId",
                                                 "aclrtSubscribeHostFunc",
                                                 "aclrtUnSubscribeHostFunc"};

Immortal<Subscriptions> callbacks;
Immortal<Subscriptions> host_functions;

// A number in place of an address.
const void* next_name() {
  static std::atomic<uintptr_t> last{0};
  return reinterpret_cast<const void*>(++last);
}

const void* new_name() {
  const void* name = next_name();
  observe([&](Observer& o) { o.created(name, "callback"); });
  return name;
}

// What a stream does when it gets to a callback.
struct CallbackTask {
  std::shared_ptr<Inbox> inbox;
  aclrtCallback function;
  void* data;
  bool block;
  const void* name;  // null in a graph, where each run has one of its own

  Status operator()(int32_t stream) {
    if (TaskQueue::is_dropped_here()) return {};
    if (name == nullptr) name = new_name();
    // The program may tell itself, by means that nobody sees, that the stream got here.
    observe([&](Observer& o) { o.joined_stream(stream); });
    const MarkPtr over = std::make_shared<Mark>();
    inbox->put({name, function, data, over});
    if (block) over->wait(Stream::kForever);
    return {};
  }
};

void queue(const Call& call, Stream& stream, const std::shared_ptr<Inbox>& inbox,
           aclrtCallback function, void* data, bool block) {
  const bool runs = recorder_of(stream.id()) == nullptr;
  submit_plain(stream, Weight::kWaiting, call.name,
               CallbackTask{inbox, function, data, block, runs ? new_name() : nullptr});
}

int32_t launch(const Call& call, Stream& stream, aclrtCallback function, void* data, bool block) {
  const std::shared_ptr<Inbox> inbox = callbacks->of_stream(stream.id());
  if (inbox == nullptr) {
    return call.fail(ACL_ERROR_RT_STREAM_NO_CB_REG, "stream",
                     "has no thread for its callbacks; call aclrtSubscribeReport first");
  }
  queue(call, stream, inbox, function, data, block);
  return ACL_SUCCESS;
}

// Runs it on the stream's thread, unless the program has named one.
int32_t launch_host_function(const Call& call, Stream& stream, aclrtHostFunc function, void* data) {
  if (const std::shared_ptr<Inbox> inbox = host_functions->of_stream(stream.id())) {
    queue(call, stream, inbox, function, data, true);
    return ACL_SUCCESS;
  }
  submit_plain(stream, Weight::kWaiting, call.name, [function, data](int32_t id) {
    if (TaskQueue::is_dropped_here()) return Status();
    observe([&](Observer& o) {
      o.joined_stream(id);
      o.began("aclrtLaunchHostFunc", "", id);
    });
    function(data);
    observe([&](Observer& o) { o.ended("aclrtLaunchHostFunc", id); });
    return Status();
  });
  return ACL_SUCCESS;
}

// The default stream has no thread for its host functions.
template <typename Body>
int32_t with_own_stream(const char* name, aclrtStream stream, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("exeStream");
    const StreamRef found = streams().find(stream);
    return found ? body(call, found->id()) : no_stream(call, stream);
  });
}

int32_t process(const char* name, Subscriptions& all, const Subscriptions::Names& names,
                int32_t timeout) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (const int32_t code = check_timeout(call, timeout)) return code;
    return all.process(call, names, timeout);
  });
}

}  // namespace

void end_subscription(int32_t stream_id) {
  callbacks->end(stream_id);
  host_functions->end(stream_id);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtSubscribeReport", stream, [&](const Call& call, const Stream& found) {
    return callbacks->subscribe(call, kCallbacks, threadId, found.id());
  });
}

extern "C" aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtUnSubscribeReport", stream, [&](const Call& call, const Stream& found) {
    return callbacks->unsubscribe(call, kCallbacks, threadId, found.id());
  });
}

extern "C" aclError aclrtProcessReport(int32_t timeout) {
  return process("aclrtProcessReport", *callbacks, kCallbacks, timeout);
}

extern "C" aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return with_own_stream(
      "aclrtSubscribeHostFunc", exeStream, [&](const Call& call, int32_t stream) {
        return host_functions->subscribe(call, kHostFunctions, hostFuncThreadId, stream);
      });
}

extern "C" aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return with_own_stream(
      "aclrtUnSubscribeHostFunc", exeStream, [&](const Call& call, int32_t stream) {
        return host_functions->unsubscribe(call, kHostFunctions, hostFuncThreadId, stream);
      });
}

extern "C" aclError aclrtProcessHostFunc(int32_t timeout) {
  return process("aclrtProcessHostFunc", *host_functions, kHostFunctions, timeout);
}

extern "C" aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                                        aclrtCallbackBlockType blockType, aclrtStream stream) {
  return with_stream(
      "aclrtLaunchCallback", stream, [&](const Call& call, Stream& found) -> int32_t {
        if (fn == nullptr) return call.null("fn");
        const int type = static_cast<int>(blockType);
        if (type != ACL_CALLBACK_NO_BLOCK && type != ACL_CALLBACK_BLOCK) {
          return call.fail(ACL_ERROR_RT_PARAM_INVALID, "blockType",
                           "is " + std::to_string(type) + "; pass 0 or ACL_CALLBACK_BLOCK (1)");
        }
        return launch(call, found, fn, userData, type == ACL_CALLBACK_BLOCK);
      });
}

extern "C" aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return with_stream("aclrtLaunchHostFunc", stream,
                     [&](const Call& call, Stream& found) -> int32_t {
                       if (fn == nullptr) return call.null("fn");
                       return launch_host_function(call, found, fn, args);
                     });
}
