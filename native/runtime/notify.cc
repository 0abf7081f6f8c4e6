// SPDX-License-Identifier: Apache-2.0
// Notifies, which streams of one or several processes record and wait for, and those that count.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/handle_table.h"
#include "runtime/observed.h"
#include "runtime/shared_word.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

constexpr size_t kKeyLength = 65;  // upstream's least room for a key

struct Notify {
  Notify(SharedWordPtr shared, uint32_t number) : word(std::move(shared)), id(number) {}

  // What strict mode has to know: the n-th wait comes behind the n-th record.
  MarkPtr mark_of(uint64_t* count) {
    if (!observed()) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    const uint64_t number = (*count)++;
    MarkPtr& mark = marks[number];
    if (mark == nullptr) mark = std::make_shared<Mark>();
    const MarkPtr result = mark;
    if (std::min(records, waits) > number) marks.erase(number);
    return result;
  }

  const SharedWordPtr word;
  const uint32_t id;
  std::mutex mutex;
  std::map<uint64_t, MarkPtr> marks;  // by number, until both sides were queued
  uint64_t records = 0, waits = 0;
};

using NotifyPtr = std::shared_ptr<Notify>;

Immortal<HandleTable<Notify, 5>> notifies;
Immortal<HandleTable<Notify, 6>> counters;

uint32_t next_id() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

Status too_long(const char* call, uint32_t seconds) {
  return Status::failed({ACL_ERROR_RT_WAIT_TIMEOUT, "timeout", "timeout",
                         std::string(call) + ": " + std::to_string(seconds) +
                             " s passed before the notify was recorded"});
}

// Waits until `take` (bool(uint32_t)) accepts the value; false after so many seconds (0: never).
template <typename Take>
bool await_word(const SharedWord& word, uint32_t seconds, const Take& take) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  while (true) {
    const uint32_t value = word.load();
    if (take(value)) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (seconds != 0 && left.count() <= 0) return false;
    word.wait_while(value, seconds == 0 ? -1 : left.count());
  }
}

template <typename Table>
int32_t no_notify(const Call& call, Table&, const void* handle) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "notify",
                   hex(handle) + " is not a notify; it may have been destroyed");
}

// Looks the notify up for a body of the form `int32_t(const Call&, const NotifyPtr&)`.
template <typename Table, typename Body>
int32_t with_notify(const char* name, Table& table, void* notify, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (notify == nullptr) return call.null("notify");
    const NotifyPtr found = table.find(notify);
    return found == nullptr ? no_notify(call, table, notify) : body(call, found);
  });
}

template <typename Table, typename Body>
int32_t with_notify_and_stream(const char* name, Table& table, void* notify, aclrtStream stream,
                               Body&& body) {
  return with_notify(name, table, notify, [&](const Call& call, const NotifyPtr& found) {
    const StreamRef queue = find_stream(stream);
    return queue ? body(call, found, *queue) : stream_not_found(call, stream);
  });
}

template <typename Table>
int32_t create(const Call& call, Table& table, void** notify, uint64_t flag, uint64_t most) {
  if (notify == nullptr) return call.null("notify");
  if (flag > most) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                     "is " + std::to_string(flag) + "; it may be at most " + std::to_string(most));
  }
  if (!current_context()) return no_context(call);
  SharedWordPtr word = SharedWord::make();
  if (word == nullptr) {
    return call.fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "notify",
                     "cannot be created: too many exist; destroy some");
  }
  *notify = table.add(std::make_shared<Notify>(std::move(word), next_id()));
  observe([&](Observer& o) { o.created(*notify, "notify"); });
  return ACL_SUCCESS;
}

template <typename Table>
int32_t destroy(const Call& call, Table& table, void* notify) {
  if (notify == nullptr) return call.null("notify");
  if (!table.remove(notify)) return no_notify(call, table, notify);
  observe([&](Observer& o) { o.destroyed(notify); });
  return ACL_SUCCESS;
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
    return in_time ? Status() : too_long("aclrtWaitAndResetNotify", seconds);
  });
}

bool is_over(const aclrtCntNotifyWaitInfo& info, uint32_t value) {
  switch (info.mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
      return value < info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
      return value == info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
      return value > info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
      return value >= info.value;
    default:
      return (value & info.value) == info.value;
  }
}

uint32_t counted(const aclrtCntNotifyRecordInfo& info, uint32_t value) {
  switch (info.mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
      return value + info.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
      return value | info.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
      return value & info.value;
    default:
      return info.value;
  }
}

int32_t bad_mode(const Call& call, int mode) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "info",
                   "has mode " + std::to_string(mode) + ", which does not exist");
}

int32_t record_count(const Call& call, const NotifyPtr& notify, Stream& queue,
                     const aclrtCntNotifyRecordInfo& info) {
  const int mode = static_cast<int>(info.mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE || mode == 3) {
    return bad_mode(call, mode);
  }
  submit_plain(queue, Weight::kMark, call.name, [notify, info](int32_t) {
    notify->word->update([&](uint32_t value) { return counted(info, value); });
    return Status();
  });
  return ACL_SUCCESS;
}

int32_t wait_count(const Call& call, const NotifyPtr& notify, Stream& queue,
                   const aclrtCntNotifyWaitInfo& info) {
  const int mode = static_cast<int>(info.mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE) {
    return bad_mode(call, mode);
  }
  submit_plain(queue, Weight::kWaiting, call.name, [notify, info](int32_t) {
    const bool in_time = await_word(*notify->word, info.timeout, [&](uint32_t value) {
      return is_over(info, value) && (info.isClear == 0 || notify->word->exchange(&value, 0));
    });
    return in_time ? Status() : too_long("aclrtCntNotifyWaitWithTimeout", info.timeout);
  });
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return acl_call("aclrtCreateNotify", [&](const Call& call) {
    return create(call, *notifies, notify, flag, ACL_NOTIFY_DEVICE_USE_ONLY);
  });
}

extern "C" aclError aclrtDestroyNotify(aclrtNotify notify) {
  return acl_call("aclrtDestroyNotify",
                  [&](const Call& call) { return destroy(call, *notifies, notify); });
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
  return with_notify("aclrtGetNotifyId", *notifies, notify,
                     [&](const Call& call, const NotifyPtr& found) {
                       if (notifyId == nullptr) return call.null("notifyId");
                       *notifyId = found->id;
                       return ACL_SUCCESS;
                     });
}

extern "C" aclError aclrtNotifyBatchReset(aclrtNotify* notifies_to_reset, size_t num) {
  return acl_call("aclrtNotifyBatchReset", [&](const Call& call) -> int32_t {
    if (notifies_to_reset == nullptr) return call.null("notifies");
    for (size_t i = 0; i < num; ++i) {
      const NotifyPtr found = notifies->find(notifies_to_reset[i]);
      if (found == nullptr) return no_notify(call, *notifies, notifies_to_reset[i]);
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
                       const uint64_t allowed = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
                       if (len < kKeyLength || (flags & ~allowed) != 0) {
                         return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                                          len < kKeyLength ? "len" : "flags",
                                          "is not possible: a key needs 65 bytes, and flags are 0 "
                                          "or ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION");
                       }
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
    *notify = notifies->add(std::make_shared<Notify>(std::move(word), next_id()));
    observe([&](Observer& o) { o.created(*notify, "notify"); });
    return ACL_SUCCESS;
  });
}

// Which processes may open a key is up to the system: those of the same user.
extern "C" aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
  return with_notify("aclrtNotifySetImportPid", *notifies, notify,
                     [&](const Call& call, const NotifyPtr&) {
                       return pid == nullptr || num == 0 ? call.null("pid") : ACL_SUCCESS;
                     });
}

extern "C" aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  return acl_call("aclrtCntNotifyCreate",
                  [&](const Call& call) { return create(call, *counters, cntNotify, flag, 0); });
}

extern "C" aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  return acl_call("aclrtCntNotifyDestroy",
                  [&](const Call& call) { return destroy(call, *counters, cntNotify); });
}

extern "C" aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                         aclrtCntNotifyRecordInfo* info) {
  return with_notify_and_stream("aclrtCntNotifyRecord", *counters, cntNotify, stream,
                                [&](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  return info == nullptr ? call.null("info")
                                                         : record_count(call, found, queue, *info);
                                });
}

extern "C" aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyWaitInfo* info) {
  return with_notify_and_stream("aclrtCntNotifyWaitWithTimeout", *counters, cntNotify, stream,
                                [&](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  return info == nullptr ? call.null("info")
                                                         : wait_count(call, found, queue, *info);
                                });
}

extern "C" aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  return with_notify_and_stream("aclrtCntNotifyReset", *counters, cntNotify, stream,
                                [](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  const aclrtCntNotifyRecordInfo zero{
                                      ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
                                  return record_count(call, found, queue, zero);
                                });
}

extern "C" aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  return with_notify("aclrtCntNotifyGetId", *counters, cntNotify,
                     [&](const Call& call, const NotifyPtr& found) {
                       if (notifyId == nullptr) return call.null("notifyId");
                       *notifyId = found->id;
                       return ACL_SUCCESS;
                     });
}
