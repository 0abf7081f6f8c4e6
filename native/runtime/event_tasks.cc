// SPDX-License-Identifier: Apache-2.0
// The C functions that let streams record events, wait for them and reset them.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/event_calls.h"
#include "runtime/event_captures.h"
#include "runtime/ipc_event.h"
#include "runtime/observed.h"

namespace aclhost {
namespace {

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

int32_t record_event(const Call& call, aclrtEvent handle, Event& event, Stream& queue) {
  if (event.shared() != nullptr) return record_shared(call, event, queue);
  if (const CapturePtr capture = capture_of(queue)) {
    return record_captured(call, *capture, handle, event, queue);
  }
  if (is_built(queue)) return record_outside(call, handle, queue, TaskKind::kRecord);
  record(event, queue);
  return ACL_SUCCESS;
}

int32_t wait_event(const Call& call, aclrtEvent handle, Event& event, Stream& queue,
                   aclrtStream stream, int32_t timeout = Stream::kForever) {
  if (event.shared() != nullptr) return await_shared(call, event, queue, timeout);
  int edge = kNoEdge;
  if (const CapturePtr capture = capture_of(event, &edge)) {
    return wait_captured(call, *capture, edge, handle, event, queue, stream);
  }
  if (capture_of(queue) != nullptr) return wait_outside(call, handle, event, queue);
  if (is_built(queue)) return record_outside(call, handle, queue, TaskKind::kWait);
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
  if (recorder_of(queue.id()) != nullptr)
    return record_outside(call, handle, queue, TaskKind::kReset);
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

}  // namespace
}  // namespace aclhost

using namespace aclhost;

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
                                 return record_outside(call, event, queue, TaskKind::kRecord);
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
                                 return record_outside(call, event, queue, TaskKind::kWait);
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
