// SPDX-License-Identifier: Apache-2.0
#include "runtime/ipc_event.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "acl/acl_rt.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event_calls.h"
#include "runtime/recorder.h"

namespace aclhost {
namespace {

constexpr int64_t kLook = 100;  // milliseconds: nobody wakes who waits when its task is dropped

// Counts go round; a record is never farther from another one than half of that.
bool is_behind(uint16_t one, uint16_t other) { return static_cast<int16_t>(one - other) > 0; }

int32_t refuse_capture(const Call& call, const Stream& stream) {
  if (capture_of(stream) == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event",
                   "is shared between processes, which does not go with captures");
}

Status too_long(int32_t timeout) {
  return Status::failed({ACL_ERROR_RT_WAIT_TIMEOUT, "event", "timeout",
                         "aclrtStreamWaitEvent: " + std::to_string(timeout) +
                             " ms passed before the event happened"});
}

int32_t no_ipc_event(const Call& call) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "event",
                   "is not shared; create it by aclrtCreateEventExWithFlag with ACL_EVENT_IPC");
}

int32_t open(const Call& call, const aclrtIpcEventHandle& handle, aclrtEvent* event) {
  const std::string key(handle.reserved, strnlen(handle.reserved, sizeof handle.reserved));
  SharedWordPtr word = SharedWord::find(key);
  if (word == nullptr) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "handle",
                     "is none of aclrtIpcGetEventHandle, or its process has ended");
  }
  const aclrtEvent made = events().create(EventKind::kEx, ACL_EVENT_IPC);
  if (made == nullptr) {
    return call.fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "event", "cannot be created: too many exist");
  }
  events().find(made)->share(std::make_shared<SharedEvent>(std::move(word)));
  *event = made;
  return ACL_SUCCESS;
}

}  // namespace

bool SharedEvent::is_reached(uint16_t record) const {
  return !is_behind(record, static_cast<uint16_t>(word_->load()));
}

uint16_t SharedEvent::record() {
  uint16_t number = 0;
  word_->update([&](uint32_t value) {
    number = static_cast<uint16_t>((value >> 16) + 1);
    return uint32_t{number} << 16 | (value & 0xFFFF);
  });
  return number;
}

void SharedEvent::reach(uint16_t record) {
  word_->update([&](uint32_t value) {
    const auto reached = static_cast<uint16_t>(value);
    return (value & 0xFFFF0000) | (is_behind(record, reached) ? record : reached);
  });
}

bool SharedEvent::wait(uint16_t record, int32_t timeout) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(std::max(timeout, 0));
  while (!is_reached(record)) {
    const uint32_t seen = word_->load();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (TaskQueue::is_dropped_here() || (timeout >= 0 && left.count() <= 0)) return false;
    if (is_reached(record)) return true;
    word_->wait_while(seen, timeout < 0 ? kLook : std::min<int64_t>(left.count(), kLook));
  }
  return true;
}

int32_t make_shared_event(const Call& call, Event& event) {
  SharedWordPtr word = SharedWord::make();
  if (word == nullptr) {
    return call.fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "event",
                     "cannot be shared: too many events and notifies exist; destroy some");
  }
  event.share(std::make_shared<SharedEvent>(std::move(word)));
  return ACL_SUCCESS;
}

int32_t record_shared(const Call& call, const Event& event, Stream& stream) {
  if (const int32_t code = refuse_capture(call, stream)) return code;
  // In a model, each run is a record of its own.
  const bool runs = recorder_of(stream.id()) == nullptr;
  const uint16_t number = runs ? event.shared()->record() : uint16_t{0};
  submit_plain(
      stream, Weight::kMark, call.name,
      [shared = event.shared(), runs, number](int32_t) {
        shared->reach(runs ? number : shared->record());
        return Status();
      },
      TaskKind::kRecord);
  return ACL_SUCCESS;
}

int32_t await_shared(const Call& call, const Event& event, Stream& stream, int32_t timeout) {
  if (const int32_t code = refuse_capture(call, stream)) return code;
  const bool runs = recorder_of(stream.id()) == nullptr;
  const uint16_t number = event.shared()->recorded();
  if (runs && event.shared()->is_reached(number)) return ACL_SUCCESS;
  const auto waits = event.waits();
  if (runs) ++*waits;
  submit_plain(
      stream, Weight::kWaiting, call.name,
      [shared = event.shared(), waits, runs, number, timeout](int32_t id) {
        observe([&](Observer& o) { o.began("aclrtStreamWaitEvent", "", id); });
        const bool in_time = shared->wait(runs ? number : shared->recorded(), timeout);
        if (runs) --*waits;
        observe([&](Observer& o) { o.ended("aclrtStreamWaitEvent", id); });
        return in_time ? Status() : too_long(timeout);
      },
      TaskKind::kWait);
  return ACL_SUCCESS;
}

int32_t synchronize_shared(const Call& call, const Event& event, int32_t timeout) {
  TaskQueue::prompt_all();
  if (event.shared()->wait(event.shared()->recorded(), timeout)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout",
                   "of " + std::to_string(timeout) + " ms passed before the event happened");
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
  return with_event("aclrtIpcGetEventHandle", event,
                    [&](const Call& call, Event& found) -> int32_t {
                      if (handle == nullptr) return call.null("handle");
                      if (found.shared() == nullptr) return no_ipc_event(call);
                      const std::string key = found.shared()->key();
                      std::memset(handle, 0, sizeof *handle);
                      std::memcpy(handle->reserved, key.c_str(),
                                  std::min(key.size(), sizeof handle->reserved - 1));
                      return ACL_SUCCESS;
                    });
}

extern "C" aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return with_event("aclrtGetEventId", event, [&](const Call& call, Event& found) {
    if (eventId == nullptr) return call.null("eventId");
    *eventId = found.id();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
  return acl_call("aclrtIpcOpenEventHandle", [&](const Call& call) -> int32_t {
    if (event == nullptr) return call.null("event");
    if (!current_context()) return no_context(call);
    return open(call, handle, event);
  });
}
