// SPDX-License-Identifier: Apache-2.0
// Notifies, which streams of one or several processes record and wait for.
#include "runtime/notify.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "acl/acl_rt.h"
#include "base/immortal.h"

namespace aclhost {
namespace {

constexpr size_t kKeyLength = 65;  // upstream's least room for a key

Immortal<HandleTable<Notify, 5>> notifies;

uint32_t next_id() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

void record(const Call& call, const NotifyPtr& notify, Stream& queue) {
  const MarkPtr mark = notify->mark_of(&notify->records);
  if (mark != nullptr) observe([&](Observer& o) { o.recorded(mark->id(), queue.id()); });
  submit_plain(queue, Weight::kMark, call.name, [notify, mark](int32_t stream) {
    if (mark != nullptr) observe([&](Observer& o) { o.reached(mark->id(), stream); });
    notify->word->store(1);
    return Status();
  });
}

void wait(const Call& call, const NotifyPtr& notify, Stream& queue, uint32_t seconds) {
  const MarkPtr mark = notify->mark_of(&notify->waits);
  if (mark != nullptr) observe([&](Observer& o) { o.awaits(mark->id(), queue.id()); });
  submit_plain(queue, Weight::kWaiting, call.name, [notify, mark, seconds](int32_t stream) {
    const bool in_time = await_word(*notify->word, seconds, [&](uint32_t value) {
      return value != 0 && notify->word->exchange(&value, 0);
    });
    if (mark != nullptr) observe([&](Observer& o) { o.passed(mark->id(), stream); });
    return in_time ? Status() : notify_too_late("aclrtWaitAndResetNotify", seconds);
  });
}

int32_t check_export(const Call& call, size_t length, uint64_t flags) {
  const uint64_t allowed = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
  if (length >= kKeyLength && (flags & ~allowed) == 0) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, length < kKeyLength ? "len" : "flags",
                   "is not possible: a key needs 65 bytes, and flags are 0 "
                   "or ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION");
}

}  // namespace

Notify::Notify(SharedWordPtr shared) : word(std::move(shared)), id(next_id()) {}

MarkPtr Notify::mark_of(uint64_t* count) {
  if (!observed()) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  const uint64_t number = (*count)++;
  MarkPtr& mark = marks[number];
  if (mark == nullptr) mark = std::make_shared<Mark>();
  const MarkPtr result = mark;
  if (std::min(records, waits) > number) marks.erase(number);
  return result;
}

Status notify_too_late(const char* call, uint32_t seconds) {
  return Status::failed({ACL_ERROR_RT_WAIT_TIMEOUT, "timeout", "timeout",
                         std::string(call) + ": " + std::to_string(seconds) +
                             " s passed before the notify was recorded"});
}

int32_t no_notify(const Call& call, const void* handle) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "notify",
                   hex(handle) + " is not a notify; it may have been destroyed");
}

int32_t no_notify_left(const Call& call) {
  return call.fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "notify",
                   "cannot be created: too many exist; destroy some");
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return acl_call("aclrtCreateNotify", [&](const Call& call) {
    return create_notify(call, *notifies, notify, flag, ACL_NOTIFY_DEVICE_USE_ONLY);
  });
}

extern "C" aclError aclrtDestroyNotify(aclrtNotify notify) {
  return acl_call("aclrtDestroyNotify",
                  [&](const Call& call) { return destroy_notify(call, *notifies, notify); });
}

extern "C" aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return with_notify_and_stream("aclrtRecordNotify", *notifies, notify, stream,
                                [](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  record(call, found, queue);
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                            uint32_t timeout) {
  return with_notify_and_stream("aclrtWaitAndResetNotify", *notifies, notify, stream,
                                [&](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  wait(call, found, queue, timeout);
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return get_notify_id("aclrtGetNotifyId", *notifies, notify, notifyId);
}

extern "C" aclError aclrtNotifyBatchReset(aclrtNotify* notifies_to_reset, size_t num) {
  return acl_call("aclrtNotifyBatchReset", [&](const Call& call) -> int32_t {
    if (notifies_to_reset == nullptr) return call.null("notifies");
    for (size_t i = 0; i < num; ++i) {
      const NotifyPtr found = notifies->find(notifies_to_reset[i]);
      if (found == nullptr) return no_notify(call, notifies_to_reset[i]);
      found->word->store(0);
    }
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len,
                                            uint64_t flags) {
  return with_notify("aclrtNotifyGetExportKey", *notifies, notify,
                     [&](const Call& call, const NotifyPtr& found) -> int32_t {
                       if (key == nullptr) return call.null("key");
                       if (const int32_t code = check_export(call, len, flags)) return code;
                       const std::string text = found->word->key();
                       std::memcpy(key, text.c_str(), text.size() + 1);
                       return ACL_SUCCESS;
                     });
}

extern "C" aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t) {
  return acl_call("aclrtNotifyImportByKey", [&](const Call& call) -> int32_t {
    if (notify == nullptr) return call.null("notify");
    if (key == nullptr) return call.null("key");
    SharedWordPtr word = SharedWord::find(key);
    if (word == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "key",
                       "names no notify of a living process that may be opened");
    }
    return add_notify(*notifies, std::move(word), notify);
  });
}

// Which processes may open a key is up to the system: those of the same user.
extern "C" aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
  return with_notify("aclrtNotifySetImportPid", *notifies, notify,
                     [&](const Call& call, const NotifyPtr&) {
                       return pid == nullptr || num == 0 ? call.null("pid") : ACL_SUCCESS;
                     });
}
