// SPDX-License-Identifier: Apache-2.0
// The C functions that make events, ask them, wait for them and end them.
#include "runtime/event_calls.h"

#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/stale.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/ipc_event.h"
#include "runtime/observed.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

constexpr uint32_t kFlagsOfFlag = 0x3F;
constexpr uint32_t kFlagsOfEx = 0x4F;
constexpr uint32_t kOnlyAlone = ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

int32_t check_flags(const Call& call, uint32_t flag, uint32_t allowed) {
  const bool alone = (flag & kOnlyAlone) == 0 || (flag & (flag - 1)) == 0;
  if (flag != 0 && (flag & ~allowed) == 0 && alone) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                   "is " + std::to_string(flag) +
                       "; combine ACL_EVENT_ flags, but DEVICE_USE_ONLY, EXTERNAL and IPC only "
                       "alone and only where the function knows them");
}

int32_t create(const Call& call, aclrtEvent* event, EventKind kind, uint32_t flags) {
  if (!current_context()) return no_context(call);
  const aclrtEvent created = events().create(kind, flags);
  if (created == nullptr) {
    return call.fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "event",
                     "cannot be created: too many exist; destroy some with aclrtDestroyEvent");
  }
  if (flags == ACL_EVENT_IPC) {
    if (const int32_t code = make_shared_event(call, *events().find(created))) {
      events().destroy(created);
      return code;
    }
  }
  *event = created;
  return ACL_SUCCESS;
}

int32_t synchronize(const Call& call, Event& event, int32_t timeout) {
  if (event.shared() != nullptr) return synchronize_shared(call, event, timeout);
  if (const int32_t code = refuse_captured(call, event)) return code;
  const MarkPtr mark = event.latest();
  if (mark == nullptr) return ACL_SUCCESS;
  observe([&](Observer& o) { o.began(call.name, "", kNoStream); });
  const bool in_time = mark->wait(timeout);
  observe([&](Observer& o) {
    o.ended(call.name, kNoStream);
    if (in_time) o.joined_mark(mark->id());
  });
  if (in_time && mark->is_forsaken()) {
    return call.fail(ACL_ERROR_RT_STREAM_ABORT, "event",
                     "was recorded in a stream whose tasks were dropped");
  }
  if (in_time) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout",
                   "of " + std::to_string(timeout) + " ms passed before the event happened");
}

// Whether an event is over; who asks may ask again soon.
bool is_over(Event& event, bool if_not_recorded) {
  if (const auto& shared = event.shared()) return shared->is_reached(shared->recorded());
  const MarkPtr mark = event.latest();
  if (mark == nullptr) return if_not_recorded;
  if (!mark->reached()) {
    mark->hurry();
    return false;
  }
  observe([&](Observer& o) { o.joined_mark(mark->id()); });
  return true;
}

// 0 and the mark of an event that is recorded and over, or the reported failure.
int32_t timed_mark(const Call& call, const char* parameter, aclrtEvent event, MarkPtr* mark) {
  const EventRef found = events().find(event);
  if (!found) return no_event(call, event);
  if (const int32_t code = refuse_captured(call, *found)) return code;
  *mark = found->latest();
  if (*mark == nullptr) {
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, parameter,
                     "was never recorded; call aclrtRecordEvent");
  }
  if (found->has_time() && (*mark)->reached()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, parameter,
                   found->has_time()
                       ? "has not happened yet; synchronize it first"
                       : "has no time; create it with aclrtCreateEvent or ACL_EVENT_TIME_LINE");
}

}  // namespace

int32_t no_event(const Call& call, aclrtEvent event) {
  const char* why = note_stale(call, events(), "event", event)
                        ? " was destroyed before"
                        : " is not an event; create one with aclrtCreateEvent";
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "event", hex(event) + why);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateEvent(aclrtEvent* event) {
  return acl_call("aclrtCreateEvent", [&](const Call& call) {
    return event == nullptr ? call.null("event") : create(call, event, EventKind::kPlain, 0);
  });
}

extern "C" aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return acl_call("aclrtCreateEventWithFlag", [&](const Call& call) {
    if (event == nullptr) return call.null("event");
    if (const int32_t code = check_flags(call, flag, kFlagsOfFlag)) return code;
    return create(call, event, EventKind::kFlag, flag);
  });
}

extern "C" aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return acl_call("aclrtCreateEventExWithFlag", [&](const Call& call) {
    if (event == nullptr) return call.null("event");
    if (flag == 0) flag = ACL_EVENT_SYNC;  // what existing clients pass for an event without time
    if (const int32_t code = check_flags(call, flag, kFlagsOfEx)) return code;
    return create(call, event, EventKind::kEx, flag);
  });
}

extern "C" aclError aclrtDestroyEvent(aclrtEvent event) {
  return acl_call("aclrtDestroyEvent", [&](const Call& call) {
    if (event == nullptr) return call.null("event");
    return events().destroy(event) ? ACL_SUCCESS : no_event(call, event);
  });
}

extern "C" aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return with_event("aclrtQueryEvent", event, [&](const Call& call, Event& found) -> int32_t {
    if (status == nullptr) return call.null("status");
    if (found.kind() == EventKind::kEx) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event",
                       "comes from aclrtCreateEventExWithFlag; use aclrtQueryEventStatus");
    }
    if (const int32_t code = refuse_captured(call, found)) return code;
    *status = is_over(found, true) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return with_event("aclrtQueryEventStatus", event, [&](const Call& call, Event& found) -> int32_t {
    if (status == nullptr) return call.null("status");
    if (const int32_t code = refuse_captured(call, found)) return code;
    const bool over = is_over(found, found.kind() == EventKind::kEx);
    *status = over ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return with_event(
      "aclrtQueryEventWaitStatus", event, [&](const Call& call, Event& found) -> int32_t {
        if (status == nullptr) return call.null("status");
        if (const int32_t code = refuse_captured(call, found)) return code;
        *status =
            *found.waits() == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
        return ACL_SUCCESS;
      });
}

extern "C" aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return with_event("aclrtSynchronizeEvent", event, [](const Call& call, Event& found) {
    return synchronize(call, found, Stream::kForever);
  });
}

extern "C" aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return with_event("aclrtSynchronizeEventWithTimeout", event,
                    [&](const Call& call, Event& found) -> int32_t {
                      if (const int32_t code = check_timeout(call, timeout)) return code;
                      return synchronize(call, found, timeout);
                    });
}

extern "C" aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return acl_call("aclrtEventElapsedTime", [&](const Call& call) -> int32_t {
    if (ms == nullptr) return call.null("ms");
    if (startEvent == nullptr) return call.null("startEvent");
    if (endEvent == nullptr) return call.null("endEvent");
    MarkPtr start, end;
    if (const int32_t code = timed_mark(call, "startEvent", startEvent, &start)) return code;
    if (const int32_t code = timed_mark(call, "endEvent", endEvent, &end)) return code;
    *ms = std::chrono::duration<float, std::milli>(end->time() - start->time()).count();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return acl_call("aclrtEventGetTimestamp", [&](const Call& call) -> int32_t {
    if (event == nullptr) return call.null("event");
    if (timestamp == nullptr) return call.null("timestamp");
    MarkPtr mark;
    if (const int32_t code = timed_mark(call, "event", event, &mark)) return code;
    const auto since_start = mark->time().time_since_epoch();
    *timestamp = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(since_start).count());
    return ACL_SUCCESS;
  });
}
