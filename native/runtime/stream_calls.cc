// SPDX-License-Identifier: Apache-2.0
// The C functions that create, destroy, ask and await streams.
#include <algorithm>
#include <chrono>
#include <string>

#include "acl/acl_rt.h"
#include "base/threads.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/memory_pool.h"
#include "runtime/model.h"
#include "runtime/observed.h"
#include "runtime/state_callbacks.h"
#include "runtime/stream.h"
#include "runtime/stream_options.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

constexpr uint32_t kLowestPriority = 7;
constexpr uint32_t kStreamFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC |
                                  ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
                                  ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
// The host cannot wait for these kinds; upstream answers success at once.
constexpr uint32_t kNotAwaited =
    ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

int32_t check_flags(const Call& call, uint32_t flags) {
  const uint32_t kinds = flags & kNotAwaited;
  const bool several_kinds = (kinds & (kinds - 1)) != 0;
  if ((flags & ~kStreamFlags) == 0 && !several_kinds) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                   "is " + std::to_string(flags) +
                       "; combine ACL_STREAM_ flags, with at most one of PERSISTENT, CPU_SCHEDULE "
                       "and DEVICE_USE_ONLY");
}

int32_t create(const Call& call, aclrtStream* stream, StreamConfig config) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (const int32_t code = context->create_stream(call, config, stream)) return code;
  tell_stream_state(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
  return ACL_SUCCESS;
}

int32_t destroy(const Call& call, aclrtStream stream, bool force) {
  if (stream == nullptr) return call.null("stream");
  const StreamRef found = streams().find(stream);
  if (!found) return no_stream(call, stream);
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (found->context_id() != context->id()) {
    return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream",
                     hex(stream) +
                         " belongs to another context than the thread's current one; "
                         "call aclrtSetCurrentContext with the stream's context first");
  }
  if (const int32_t code = refuse_captured(call, *found)) return code;
  if (const int32_t code = refuse_bound(call, *found)) return code;
  tell_stream_state(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
  forget_stream(found->id());
  const NoCancellation whole;
  if (!context->destroy_stream(stream)) return no_stream(call, stream);
  if (force) {
    found->abandon();
  } else {
    found->wait();
    observe([&](Observer& o) { o.joined_stream(found->id()); });
  }
  return ACL_SUCCESS;
}

int32_t too_slow(const Call& call, int32_t timeout) {
  return call.fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout",
                   "of " + std::to_string(timeout) + " ms passed before the work ended");
}

// What a stream that was awaited has to say: that its tasks were dropped meanwhile, or how they
// failed.
int32_t outcome(const Call& call, Stream& stream, const TaskQueue::Ending& ending) {
  if (ending.drop_code == 0) return ending.has_failure ? stream.failure() : ACL_SUCCESS;
  return call.fail(ending.drop_code, "",
                   "tasks of stream " + std::to_string(stream.id()) +
                       " were dropped meanwhile, by aclrtStreamAbort or aclrtDeviceTaskAbort");
}

int32_t synchronize(const Call& call, aclrtStream stream, int32_t timeout) {
  if (!has_current_context()) return no_context(call);
  const StreamRef found = find_stream(stream);
  if (!found) return no_stream(call, stream);
  if ((found->config().flags & kNotAwaited) != 0) return ACL_SUCCESS;
  if (const int32_t code = refuse_captured(call, *found)) return code;
  observe([&](Observer& o) { o.began(call.name, "", kNoStream); });
  const TaskQueue::Ending ending = found->wait(timeout);
  observe([&](Observer& o) {
    o.ended(call.name, kNoStream);
    if (ending.in_time) o.joined_stream(found->id());
  });
  trim_pools(found->device());
  return ending.in_time ? outcome(call, *found, ending) : too_slow(call, timeout);
}

// Waits for the streams of the current device; the first failure counts.
int32_t synchronize_device(const Call& call, int32_t timeout) {
  using Clock = std::chrono::steady_clock;
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (const int32_t code = refuse_captures_of(call, context->id())) return code;
  const auto deadline = Clock::now() + std::chrono::milliseconds(std::max(timeout, 0));
  int32_t first = 0;
  bool in_time = true;
  observe([&](Observer& o) { o.began(call.name, "", kNoStream); });
  streams().for_each([&](void*, Stream& stream) {
    if (stream.device() != context->device()) return;
    if ((stream.config().flags & kNotAwaited) != 0) return;
    int32_t left = Stream::kForever;
    if (timeout != Stream::kForever) {
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      left = std::max<int32_t>(static_cast<int32_t>(rest.count()), 0);
    }
    const TaskQueue::Ending ending = stream.wait(left);
    if (!ending.in_time) {
      in_time = false;
      return;
    }
    observe([&](Observer& o) { o.joined_stream(stream.id()); });
    const int32_t code = outcome(call, stream, ending);
    if (first == 0) first = code;
  });
  observe([&](Observer& o) { o.ended(call.name, kNoStream); });
  trim_pools(context->device());
  return in_time ? first : too_slow(call, timeout);
}

// For the functions that only read something of a stream; null means the default stream.
template <typename Answer, typename Read>
int32_t ask(const char* name, aclrtStream stream, const char* answer_name, Answer* answer,
            Read&& read) {
  return acl_call(name, [&](const Call& call) {
    if (answer == nullptr) return call.null(answer_name);
    if (!current_context()) return no_context(call);
    const StreamRef found = find_stream(stream);
    if (!found) return no_stream(call, stream);
    *answer = read(*found);
    return ACL_SUCCESS;
  });
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateStream(aclrtStream* stream) {
  return acl_call("aclrtCreateStream", [&](const Call& call) {
    return stream == nullptr ? call.null("stream") : create(call, stream, {});
  });
}

extern "C" aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                uint32_t flag) {
  return acl_call("aclrtCreateStreamWithConfig", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    if (const int32_t code = check_flags(call, flag)) return code;
    return create(call, stream, {std::min(priority, kLowestPriority), flag});
  });
}

extern "C" aclError aclrtDestroyStream(aclrtStream stream) {
  return acl_call("aclrtDestroyStream",
                  [&](const Call& call) { return destroy(call, stream, false); });
}

extern "C" aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return acl_call("aclrtDestroyStreamForce",
                  [&](const Call& call) { return destroy(call, stream, true); });
}

extern "C" aclError aclrtSynchronizeStream(aclrtStream stream) {
  return acl_call("aclrtSynchronizeStream",
                  [&](const Call& call) { return synchronize(call, stream, Stream::kForever); });
}

extern "C" aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return acl_call("aclrtSynchronizeStreamWithTimeout", [&](const Call& call) {
    if (const int32_t code = check_timeout(call, timeout)) return code;
    return synchronize(call, stream, timeout);
  });
}

extern "C" aclError aclrtSynchronizeDevice() {
  return acl_call("aclrtSynchronizeDevice",
                  [](const Call& call) { return synchronize_device(call, Stream::kForever); });
}

extern "C" aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return acl_call("aclrtSynchronizeDeviceWithTimeout", [&](const Call& call) {
    if (const int32_t code = check_timeout(call, timeout)) return code;
    return synchronize_device(call, timeout);
  });
}

extern "C" aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return acl_call("aclrtStreamQuery", [&](const Call& call) -> int32_t {
    if (const StreamRef found = find_stream(stream)) {
      if (const int32_t code = refuse_captured(call, *found)) return code;
    }
    return ask(call.name, stream, "status", status, [](Stream& found) {
      if (!found.idle()) return ACL_STREAM_STATUS_NOT_READY;
      observe([&](Observer& o) { o.joined_stream(found.id()); });
      return ACL_STREAM_STATUS_COMPLETE;
    });
  });
}

extern "C" aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return ask("aclrtStreamGetId", stream, "streamId", streamId,
             [](const Stream& found) { return found.id(); });
}

extern "C" aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return ask("aclrtStreamGetPriority", stream, "priority", priority,
             [](const Stream& found) { return found.config().priority; });
}

extern "C" aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return ask("aclrtStreamGetFlags", stream, "flags", flags,
             [](const Stream& found) { return found.config().flags; });
}

extern "C" aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return acl_call("aclrtSetStreamFailureMode", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");  // the default stream has no mode upstream
    if (mode > ACL_STOP_ON_FAILURE) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "mode",
                       "is " + std::to_string(mode) +
                           "; pass ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1)");
    }
    const StreamRef found = streams().find(stream);
    if (!found) return no_stream(call, stream);
    found->stop_on_failure(mode == ACL_STOP_ON_FAILURE);
    return ACL_SUCCESS;
  });
}
