// SPDX-License-Identifier: Apache-2.0
// The C functions of events.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/observed.h"
#include "runtime/stream.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

constexpr uint32_t kFlagsOfFlag = 0x3F;
constexpr uint32_t kFlagsOfEx = 0x4F;
constexpr uint32_t kOnlyAlone = ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

int32_t no_event(const Call& call, aclrtEvent event) {
  const bool stale = events().was_ours(event);
  if (stale) observe([&](Observer& o) { o.misused(call.name, "event", event); });
  const char* why =
      stale ? " was destroyed before" : " is not an event; create one with aclrtCreateEvent";
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "event", hex(event) + why);
}

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
  *event = created;
  return ACL_SUCCESS;
}

// Looks the event up for a body of the form `int32_t(const Call&, Event&)`.
template <typename Body>
int32_t with_event(const char* name, aclrtEvent event, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (event == nullptr) return call.null("event");
    const EventRef found = events().find(event);
    return found ? body(call, *found) : no_event(call, event);
  });
}

template <typename Body>
int32_t with_event_and_stream(const char* name, aclrtEvent event, aclrtStream stream, Body&& body) {
  return with_event(name, event, [&](const Call& call, Event& found) -> int32_t {
    const StreamRef queue = find_stream(stream);
    return queue ? body(call, found, *queue) : stream_not_found(call, stream);
  });
}

int32_t synchronize(const Call& call, Event& event, int32_t timeout) {
  if (const int32_t code = refuse_captured(call, event)) return code;
  const MarkPtr mark = event.latest();
  if (mark == nullptr) return ACL_SUCCESS;
  observe([&](Observer& o) { o.began(call.name, "", kNoStream); });
  const bool in_time = mark->wait(timeout);
  observe([&](Observer& o) {
    o.ended(call.name, kNoStream);
    if (in_time) o.joined_mark(mark->id());
  });
  if (in_time) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout",
                   "of " + std::to_string(timeout) + " ms passed before the event happened");
}

// Of a wait that took longer than the program allowed.
Status wait_too_long(int32_t timeout) {
  return Status::failed({ACL_ERROR_RT_WAIT_TIMEOUT, "event", "timeout",
                         "aclrtStreamWaitEvent: " + std::to_string(timeout) +
                             " ms passed before the event happened"});
}

// The stream goes on when the mark is reached, or fails after so many milliseconds.
void await(Event& event, Stream& queue, const MarkPtr& mark, int32_t timeout) {
  const Weight weight = mark->reached() ? Weight::kMark : Weight::kWaiting;
  const auto waits = event.waits();
  ++*waits;
  try {
    queue.submit(weight, [mark, waits, timeout, id = queue.id()] {
      observe([&](Observer& o) { o.began("aclrtStreamWaitEvent", "", id); });
      const bool in_time = mark->wait(timeout);
      --*waits;
      observe([&](Observer& o) {
        if (in_time) o.passed(mark->id(), id);
        o.ended("aclrtStreamWaitEvent", id);
      });
      return in_time ? Status() : wait_too_long(timeout);
    });
  } catch (...) {
    --*waits;
    throw;
  }
}

void record(Event& event, Stream& queue) {
  const MarkPtr mark = event.next();
  queue_record(queue, mark);
  event.publish(mark);
}

// What a graph does with events that are not its own: at each run, when the stream gets there.
struct OutsideEvent {
  std::shared_ptr<EventRef> event;
  TaskKind kind;

  Status operator()(int32_t stream) {
    if (!*event) return {};  // destroyed while it was captured
    Event& found = **event;
    if (kind == TaskKind::kReset) {
      found.reset();
    } else if (kind == TaskKind::kRecord) {
      const MarkPtr mark = found.next();
      observe([&](Observer& o) { o.recorded(mark->id(), stream); });
      found.publish(mark);
      observe([&](Observer& o) { o.reached(mark->id(), stream); });
      mark->reach();
    } else if (const MarkPtr mark = found.awaited(); mark != nullptr) {
      observe([&](Observer& o) { o.began("aclrtStreamWaitEvent", "", stream); });
      mark->wait(Stream::kForever);
      observe([&](Observer& o) {
        o.awaits(mark->id(), stream);
        o.passed(mark->id(), stream);
        o.ended("aclrtStreamWaitEvent", stream);
      });
    }
    return {};
  }
};

void record_outside(const Call& call, aclrtEvent event, Stream& queue, TaskKind kind) {
  submit_plain(queue, kind == TaskKind::kWait ? Weight::kWaiting : Weight::kMark, call.name,
               OutsideEvent{std::make_shared<EventRef>(events().find(event)), kind}, kind);
}

bool is_external(const Event& event) { return (event.flags() & ACL_EVENT_EXTERNAL) != 0; }

// Whether a stream's tasks are kept for a graph, without being captured: a model is built.
bool is_built(const Stream& queue) {
  return recorder_of(queue.id()) != nullptr && capture_of(queue) == nullptr;
}

int32_t not_for_captures(const Call& call) {
  return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event",
                   "does not go with captures; create it with aclrtCreateEventExWithFlag, or with "
                   "aclrtCreateEventWithFlag and ACL_EVENT_EXTERNAL");
}

int32_t default_stream_in(const Call& call) {
  return call.fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "stream",
                   "is the default stream, which cannot take part in a capture");
}

bool is_default(const Stream& queue) {
  const ContextRef context = current_context();
  const StreamRef found = context ? streams().find(context->default_stream()) : StreamRef();
  return found && found->id() == queue.id();
}

int32_t conflict(const Call& call, Capture& one, Capture& other) {
  one.is_invalid = other.is_invalid = true;
  return call.fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "event",
                   "belongs to another capture than the stream; both captures have failed");
}

int32_t record_captured(const Call& call, Capture& capture, aclrtEvent handle, Event& event,
                        Stream& queue) {
  if (is_external(event)) {
    record_outside(call, handle, queue, TaskKind::kRecord);
    return ACL_SUCCESS;
  }
  if (event.kind() != EventKind::kEx) return not_for_captures(call);
  capture.record(queue.id(), event, handle);
  return ACL_SUCCESS;
}

// The stream joins the capture, unless it takes part already.
int32_t wait_captured(const Call& call, Capture& capture, int edge, aclrtEvent handle, Event& event,
                      Stream& queue, aclrtStream stream) {
  const CapturePtr own = capture_of(queue);
  if (own == nullptr && is_default(queue)) return default_stream_in(call);
  if (own == nullptr) {
    capture.join(queue, stream);
  } else if (own.get() != &capture) {
    return conflict(call, *own, capture);
  }
  capture.wait(queue.id(), event, handle, edge);
  return ACL_SUCCESS;
}

// A captured stream waits for an event that was not recorded in its capture.
int32_t wait_outside(const Call& call, aclrtEvent handle, Event& event, Stream& queue) {
  if (is_external(event)) {
    record_outside(call, handle, queue, TaskKind::kWait);
    return ACL_SUCCESS;
  }
  if (event.kind() != EventKind::kEx) return not_for_captures(call);
  if (event.latest() == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY, "event",
                   "was recorded outside of the capture; wait for it with "
                   "aclrtStreamWaitEventWithFlag and ACL_EVENT_WAIT_EXTERNAL");
}

int32_t record_event(const Call& call, aclrtEvent handle, Event& event, Stream& queue) {
  if (const CapturePtr capture = capture_of(queue)) {
    return record_captured(call, *capture, handle, event, queue);
  }
  if (is_built(queue)) {
    record_outside(call, handle, queue, TaskKind::kRecord);
    return ACL_SUCCESS;
  }
  record(event, queue);
  return ACL_SUCCESS;
}

int32_t wait_event(const Call& call, aclrtEvent handle, Event& event, Stream& queue,
                   aclrtStream stream, int32_t timeout = Stream::kForever) {
  int edge = kNoEdge;
  if (const CapturePtr capture = capture_of(event, &edge)) {
    return wait_captured(call, *capture, edge, handle, event, queue, stream);
  }
  if (capture_of(queue) != nullptr) return wait_outside(call, handle, event, queue);
  if (is_built(queue)) {
    record_outside(call, handle, queue, TaskKind::kWait);
    return ACL_SUCCESS;
  }
  const MarkPtr mark = event.awaited();
  if (mark == nullptr && event.kind() != EventKind::kEx) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "event",
                     "was never recorded; call aclrtRecordEvent first");
  }
  if (mark == nullptr) return ACL_SUCCESS;
  const int32_t id = queue.id();
  observe([&](Observer& o) { o.awaits(mark->id(), id); });
  if (mark->reached() && !observed()) return ACL_SUCCESS;
  await(event, queue, mark, timeout);
  return ACL_SUCCESS;
}

// Of seconds, where 0 is for ever.
int32_t milliseconds(uint32_t seconds) {
  if (seconds == 0) return Stream::kForever;
  return seconds > INT32_MAX / 1000 ? INT32_MAX : static_cast<int32_t>(seconds * 1000);
}

int32_t reset_event(const Call& call, aclrtEvent handle, Event& event, Stream& queue) {
  if (!event.blocks()) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event",
                     "cannot be reset; only those of aclrtCreateEventWithFlag with "
                     "ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL can");
  }
  if (recorder_of(queue.id()) != nullptr) {
    record_outside(call, handle, queue, TaskKind::kReset);
    return ACL_SUCCESS;
  }
  // Waits and records refer to marks as of their call, so this, too, counts from its call on.
  event.reset();
  return ACL_SUCCESS;
}

int32_t check_external_flag(const Call& call, uint32_t flag, const Stream& queue) {
  if (flag > ACL_EVENT_WAIT_EXTERNAL) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                     "is " + std::to_string(flag) + "; pass 0, or 1 for an external event");
  }
  if (flag == ACL_EVENT_WAIT_EXTERNAL && capture_of(queue) == nullptr) {
    return call.fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream",
                     "is not being captured, as external records and waits need");
  }
  return ACL_SUCCESS;
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

extern "C" aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return with_event_and_stream("aclrtRecordEvent", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) {
                                 return record_event(call, event, found, queue);
                               });
}

extern "C" aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return with_event_and_stream("aclrtStreamWaitEvent", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) {
                                 return wait_event(call, event, found, queue, stream);
                               });
}

extern "C" aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  return with_event_and_stream("aclrtRecordEventWithFlag", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) -> int32_t {
                                 if (const int32_t code = check_external_flag(call, flag, queue))
                                   return code;
                                 if (flag == 0) return record_event(call, event, found, queue);
                                 record_outside(call, event, queue, TaskKind::kRecord);
                                 return ACL_SUCCESS;
                               });
}

extern "C" aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
                                                 uint32_t timeout, uint32_t flag) {
  return with_event_and_stream("aclrtStreamWaitEventWithFlag", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) -> int32_t {
                                 if (const int32_t code = check_external_flag(call, flag, queue))
                                   return code;
                                 if (flag == 0) {
                                   return wait_event(call, event, found, queue, stream,
                                                     milliseconds(timeout));
                                 }
                                 record_outside(call, event, queue, TaskKind::kWait);
                                 return ACL_SUCCESS;
                               });
}

extern "C" aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                    int32_t timeout) {
  return with_event_and_stream("aclrtStreamWaitEventWithTimeout", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) -> int32_t {
                                 if (timeout < 0) {
                                   return call.fail(ACL_ERROR_RT_PARAM_INVALID, "timeout",
                                                    "is " + std::to_string(timeout) +
                                                        "; pass seconds, or 0 to wait for ever");
                                 }
                                 return wait_event(call, event, found, queue, stream,
                                                   milliseconds(static_cast<uint32_t>(timeout)));
                               });
}

extern "C" aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return with_event_and_stream("aclrtResetEvent", event, stream,
                               [&](const Call& call, Event& found, Stream& queue) {
                                 return reset_event(call, event, found, queue);
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
    const MarkPtr mark = found.latest();
    const bool over = mark == nullptr || mark->reached();
    if (!over) mark->hurry();
    if (over && mark != nullptr) observe([&](Observer& o) { o.joined_mark(mark->id()); });
    *status = over ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return with_event("aclrtQueryEventStatus", event, [&](const Call& call, Event& found) -> int32_t {
    if (status == nullptr) return call.null("status");
    if (const int32_t code = refuse_captured(call, found)) return code;
    const MarkPtr mark = found.latest();
    const bool over = mark == nullptr ? found.kind() == EventKind::kEx : mark->reached();
    if (!over && mark != nullptr) mark->hurry();
    if (over && mark != nullptr) observe([&](Observer& o) { o.joined_mark(mark->id()); });
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
