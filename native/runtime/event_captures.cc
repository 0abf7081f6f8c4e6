// SPDX-License-Identifier: Apache-2.0
#include "runtime/event_captures.h"

#include <memory>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/observed.h"

namespace aclhost {
namespace {

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

bool is_external(const Event& event) { return (event.flags() & ACL_EVENT_EXTERNAL) != 0; }

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

}  // namespace

bool is_built(const Stream& queue) {
  return recorder_of(queue.id()) != nullptr && capture_of(queue) == nullptr;
}

int32_t record_outside(const Call& call, aclrtEvent event, Stream& queue, TaskKind kind) {
  submit_plain(queue, kind == TaskKind::kWait ? Weight::kWaiting : Weight::kMark, call.name,
               OutsideEvent{std::make_shared<EventRef>(events().find(event)), kind}, kind);
  return ACL_SUCCESS;
}

int32_t record_captured(const Call& call, Capture& capture, aclrtEvent handle, Event& event,
                        Stream& queue) {
  if (is_external(event)) return record_outside(call, handle, queue, TaskKind::kRecord);
  if (event.kind() != EventKind::kEx) return not_for_captures(call);
  capture.record(queue.id(), event, handle);
  return ACL_SUCCESS;
}

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

int32_t wait_outside(const Call& call, aclrtEvent handle, Event& event, Stream& queue) {
  if (is_external(event)) return record_outside(call, handle, queue, TaskKind::kWait);
  if (event.kind() != EventKind::kEx) return not_for_captures(call);
  if (event.latest() == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY, "event",
                   "was recorded outside of the capture; wait for it with "
                   "aclrtStreamWaitEventWithFlag and ACL_EVENT_WAIT_EXTERNAL");
}

}  // namespace aclhost
