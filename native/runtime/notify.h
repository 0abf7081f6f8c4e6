// SPDX-License-Identifier: Apache-2.0
// What notifies and counting notifies share: words that streams record and wait for.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/call.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/handle_table.h"
#include "runtime/observed.h"
#include "runtime/shared_word.h"
#include "runtime/stream.h"

namespace aclhost {

struct Notify {
  explicit Notify(SharedWordPtr shared);

  // What strict mode has to know: the n-th wait comes behind the n-th record.
  MarkPtr mark_of(uint64_t* count);

  const SharedWordPtr word;
  const uint32_t id;
  std::mutex mutex;
  std::map<uint64_t, MarkPtr> marks;  // by number, until both sides were queued
  uint64_t records = 0, waits = 0;
};

using NotifyPtr = std::shared_ptr<Notify>;

// The failure of a wait that took longer than the program allowed.
Status notify_too_late(const char* call, uint32_t seconds);

int32_t no_notify(const Call& call, const void* handle);
int32_t no_notify_left(const Call& call);

// Waits until `take` (bool(uint32_t)) accepts the value; false after so many seconds (0: never).
template <typename Take>
bool await_word(const SharedWord& word, uint32_t seconds, const Take& take) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  while (true) {
    const uint32_t value = word.load();
    if (take(value) || TaskQueue::is_dropped_here()) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (seconds != 0 && left.count() <= 0) return false;
    // Not for long: nobody wakes who waits for a word of another process when its task is dropped.
    constexpr int64_t kLook = 100;  // milliseconds
    word.wait_while(value, seconds == 0 ? kLook : std::min<int64_t>(left.count(), kLook));
  }
}

// Gives a notify with that word a handle.
template <typename Table>
int32_t add_notify(Table& table, SharedWordPtr word, void** notify) {
  *notify = table.add(std::make_shared<Notify>(std::move(word)));
  observe([&](Observer& o) { o.created(*notify, "notify"); });
  return ACL_SUCCESS;
}

template <typename Table>
int32_t create_notify(const Call& call, Table& table, void** notify, uint64_t flag, uint64_t most) {
  if (notify == nullptr) return call.null("notify");
  if (flag > most) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                     "is " + std::to_string(flag) + "; it may be at most " + std::to_string(most));
  }
  if (!current_context()) return no_context(call);
  SharedWordPtr word = SharedWord::make();
  return word == nullptr ? no_notify_left(call) : add_notify(table, std::move(word), notify);
}

template <typename Table>
int32_t destroy_notify(const Call& call, Table& table, void* notify) {
  if (notify == nullptr) return call.null("notify");
  if (!table.remove(notify)) return no_notify(call, notify);
  observe([&](Observer& o) { o.destroyed(notify); });
  return ACL_SUCCESS;
}

// Looks the notify up for a body of the form `int32_t(const Call&, const NotifyPtr&)`.
template <typename Table, typename Body>
int32_t with_notify(const char* name, Table& table, void* notify, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (notify == nullptr) return call.null("notify");
    const NotifyPtr found = table.find(notify);
    return found == nullptr ? no_notify(call, notify) : body(call, found);
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
int32_t get_notify_id(const char* name, Table& table, void* notify, uint32_t* id) {
  return with_notify(name, table, notify, [&](const Call& call, const NotifyPtr& found) {
    if (id == nullptr) return call.null("notifyId");
    *id = found->id;
    return ACL_SUCCESS;
  });
}

}  // namespace aclhost
