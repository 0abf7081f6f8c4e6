// SPDX-License-Identifier: Apache-2.0
#include "runtime/context.h"

#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/fork.h"
#include "base/observer.h"
#include "base/stale.h"
#include "base/threads.h"
#include "runtime/borrowed_context.h"
#include "runtime/device.h"
#include "runtime/labels.h"
#include "runtime/state_callbacks.h"
#include "runtime/stream_options.h"

namespace aclhost {
namespace {

__constinit ContextRegistry all_contexts;

constexpr int32_t kMaxStreams = 1984;  // per device, as on the hardware

// Plain handles: they go stale when somebody destroys the context, which a lookup notices.
thread_local aclrtContext thread_explicit = nullptr;
thread_local aclrtContext thread_primary = nullptr;

aclrtContext current_handle() {
  return thread_explicit != nullptr ? thread_explicit : thread_primary;
}

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Context::Context(int32_t device, bool primary)
    : id_(next_id()),
      device_(device),
      primary_(primary),
      default_stream_(streams().create(device, id_)) {
  for (auto& option : options) option = kNotSet;
}

Context::~Context() { close(); }

void Context::close(bool force) {
  const NoCancellation whole;
  std::set<aclrtStream> ending;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(closed_, true)) return;
    ending.swap(streams_);
  }
  stream_count(device_) -= static_cast<int32_t>(ending.size());
  for (aclrtStream handle : ending) {
    tell_stream_state(handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
    end_stream(handle, force);
    observe([&](Observer& o) { o.destroyed(handle); });
  }
  end_stream(default_stream_, force);
  forget_labels(id_);
}

void Context::end_stream(aclrtStream handle, bool force) {
  const StreamRef stream = streams().find(handle);
  streams().destroy(handle);
  if (!stream) return;
  forget_stream(stream->id());
  if (force) return stream->cancel();
  stream->wait();
  observe([&](Observer& o) { o.joined_stream(stream->id()); });
}

int32_t Context::create_stream(const Call& call, StreamConfig config, aclrtStream* stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return no_context(call);
  if (stream_count(device_).fetch_add(1) >= kMaxStreams) {
    --stream_count(device_);
    return call.fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "stream",
                     "cannot be created: device " + std::to_string(device_) + " has " +
                         std::to_string(kMaxStreams) +
                         " streams, which is the limit; destroy some with aclrtDestroyStream");
  }
  aclrtStream created = nullptr;
  try {
    created = streams().create(device_, id_, config);
    streams_.insert(created);
  } catch (...) {
    streams().destroy(created);
    --stream_count(device_);
    throw;
  }
  *stream = created;
  observe([&](Observer& o) { o.created(created, "stream"); });
  return ACL_SUCCESS;
}

bool Context::destroy_stream(aclrtStream stream) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (streams_.erase(stream) == 0) return false;
  }
  --stream_count(device_);
  observe([&](Observer& o) { o.destroyed(stream); });
  return streams().destroy(stream);
}

ContextRegistry& contexts() { return all_contexts; }

ContextRef current_context() { return contexts().find(current_handle()); }

bool has_current_context() { return contexts().is_live(current_handle()); }

void bind_primary_context(aclrtContext primary) {
  thread_explicit = nullptr;
  thread_primary = primary;
}

BorrowedContext::BorrowedContext(aclrtContext context)
    : context_(current_context() ? nullptr : context), before_(thread_explicit) {
  if (context_ != nullptr) thread_explicit = context_;
}

BorrowedContext::~BorrowedContext() {
  if (context_ != nullptr && thread_explicit == context_) thread_explicit = before_;
}

int32_t no_context(const Call& call) {
  return call.fail(ACL_ERROR_RT_CONTEXT_NULL, "",
                   "this thread has no current context; call aclrtSetDevice, aclrtCreateContext or "
                   "aclrtSetCurrentContext on it first");
}

int32_t no_more_contexts(const Call& call) {
  return call.fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "context",
                   "cannot be created: too many exist; destroy some with aclrtDestroyContext");
}

int32_t no_stream(const Call& call, aclrtStream stream) {
  const char* why = note_stale(call, streams(), "stream", stream)
                        ? " was destroyed before; streams also end with their context or device"
                        : " is not a stream; create one with aclrtCreateStream";
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "stream", hex(stream) + why);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return acl_call("aclrtCreateContext", [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    if (const int32_t code = check_device(call, deviceId)) return code;
    forbid_fork();
    const aclrtContext created = contexts().create(deviceId, false);
    if (created == nullptr) return no_more_contexts(call);
    *context = thread_explicit = created;
    observe([&](Observer& o) { o.created(created, "context"); });
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDestroyContext(aclrtContext context) {
  return acl_call("aclrtDestroyContext", [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    const ContextRef found = contexts().find(context);
    if (!found || found->primary()) {
      const char* why = found ? " is the device's own context; release it with aclrtResetDevice"
                              : " is not a live context made by aclrtCreateContext";
      if (!found) note_stale(call, contexts(), "context", context);
      return call.fail(ACL_ERROR_RT_CONTEXT_NULL, "context", hex(context) + why);
    }
    if (!contexts().destroy(context)) {
      return call.fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "context",
                       hex(context) + " is being destroyed by another thread; destroy it once");
    }
    observe([&](Observer& o) { o.destroyed(context); });
    found->close();
    if (thread_explicit == context) thread_explicit = nullptr;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetCurrentContext(aclrtContext context) {
  return acl_call("aclrtSetCurrentContext", [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    if (!contexts().find(context)) {
      note_stale(call, contexts(), "context", context);
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "context",
                       hex(context) + " is not a live context; it may have been destroyed");
    }
    thread_explicit = context;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetCurrentContext(aclrtContext* context) {
  return acl_call("aclrtGetCurrentContext", [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    if (!current_context()) return no_context(call);
    *context = current_handle();
    return ACL_SUCCESS;
  });
}
