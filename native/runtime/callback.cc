// SPDX-License-Identifier: Apache-2.0
// Functions of the program that run when a stream gets to them.
#include "runtime/callback.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "base/threads.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/observed.h"
#include "runtime/timeout.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

struct Report {
  const void* name;  // to observers
  aclrtCallback function;
  void* data;
  MarkPtr over;  // reached when the function has returned, or will never run
};

// Reaches the mark when a function of the program is over, however it ends.
struct Ending {
  const MarkPtr& over;
  ~Ending() { over->reach(); }
};

// What one thread has to do. Streams hold it, so that an unsubscribed one still ends well.
class Inbox {
 public:
  void put(Report report) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return report.over->reach();
    reports_.push_back(std::move(report));
    changed_.notify_one();
  }

  bool take(int32_t timeout, Report* report) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto ready = [this] { return !reports_.empty() || closed_; };
    if (timeout < 0) {
      wait_for_ever(changed_, lock, ready);
    } else if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout), ready)) {
      return false;
    }
    if (reports_.empty()) return false;
    *report = std::move(reports_.front());
    reports_.pop_front();
    return true;
  }

  // Nobody will look again: whoever waits for a report must not wait for ever.
  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    for (Report& report : reports_) report.over->reach();
    reports_.clear();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Report> reports_;
  bool closed_ = false;
};

struct Subscription {
  uint64_t thread;
  std::shared_ptr<Inbox> inbox;
};

struct Subscriptions {
  std::mutex mutex;
  std::map<int32_t, Subscription> by_stream;  // by the stream's id

  std::shared_ptr<Inbox> of_thread(uint64_t thread) {
    for (const auto& [stream, subscription] : by_stream) {
      if (subscription.thread == thread) return subscription.inbox;
    }
    return nullptr;
  }
};

Immortal<Subscriptions> all_subscriptions;

Subscriptions& subscriptions() { return *all_subscriptions; }

uint64_t this_thread() { return static_cast<uint64_t>(pthread_self()); }

// The caller holds the mutex.
void erase(Subscriptions& all, std::map<int32_t, Subscription>::iterator found) {
  const Subscription ended = found->second;
  all.by_stream.erase(found);
  if (all.of_thread(ended.thread) == nullptr) ended.inbox->close();
}

int32_t subscribe(const Call& call, uint64_t thread, const Stream& stream) {
  Subscriptions& all = subscriptions();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.by_stream.count(stream.id()) != 0) {
    return call.fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "stream",
                     "has a thread for its callbacks already; call aclrtUnSubscribeReport first");
  }
  std::shared_ptr<Inbox> inbox = all.of_thread(thread);
  if (inbox == nullptr) inbox = std::make_shared<Inbox>();
  all.by_stream[stream.id()] = {thread, std::move(inbox)};
  return ACL_SUCCESS;
}

int32_t unsubscribe(const Call& call, uint64_t thread, const Stream& stream) {
  Subscriptions& all = subscriptions();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_stream.find(stream.id());
  if (found == all.by_stream.end()) {
    return call.fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "stream", "has no thread for its callbacks");
  }
  if (found->second.thread != thread) {
    return call.fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "threadId",
                     "is not the thread that the stream's callbacks go to");
  }
  erase(all, found);
  return ACL_SUCCESS;
}

int32_t process(const Call& call, int32_t timeout) {
  std::shared_ptr<Inbox> inbox;
  {
    std::lock_guard<std::mutex> lock(subscriptions().mutex);
    inbox = subscriptions().of_thread(this_thread());
  }
  if (inbox == nullptr) {
    return call.fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "",
                     "no stream sends its callbacks to this thread; call aclrtSubscribeReport with "
                     "this thread's id (pthread_self)");
  }
  Report report;
  if (!inbox->take(timeout, &report)) {
    return call.fail(ACL_ERROR_RT_REPORT_TIMEOUT, "timeout",
                     "of " + std::to_string(timeout) + " ms passed without a callback");
  }
  const Ending ending{report.over};
  observe([&](Observer& o) { o.destroyed(report.name); });
  report.function(report.data);
  return ACL_SUCCESS;
}

// A number in place of an address.
const void* next_name() {
  static std::atomic<uintptr_t> last{0};
  return reinterpret_cast<const void*>(++last);
}

const void* new_name() {
  const void* name = next_name();
  observe([&](Observer& o) { o.created(name, "callback"); });
  return name;
}

// What a stream does when it gets to a callback.
struct CallbackTask {
  std::shared_ptr<Inbox> inbox;
  aclrtCallback function;
  void* data;
  bool block;
  const void* name;  // null in a graph, where each run has one of its own

  Status operator()(int32_t stream) {
    if (name == nullptr) name = new_name();
    // The program may tell itself, by means that nobody sees, that the stream got here.
    observe([&](Observer& o) { o.joined_stream(stream); });
    const MarkPtr over = std::make_shared<Mark>();
    inbox->put({name, function, data, over});
    if (block) over->wait(Stream::kForever);
    return {};
  }
};

int32_t launch(const Call& call, Stream& stream, aclrtCallback function, void* data, bool block) {
  std::shared_ptr<Inbox> inbox;
  {
    std::lock_guard<std::mutex> lock(subscriptions().mutex);
    const auto found = subscriptions().by_stream.find(stream.id());
    if (found != subscriptions().by_stream.end()) inbox = found->second.inbox;
  }
  if (inbox == nullptr) {
    return call.fail(ACL_ERROR_RT_STREAM_NO_CB_REG, "stream",
                     "has no thread for its callbacks; call aclrtSubscribeReport first");
  }
  const bool runs = recorder_of(stream.id()) == nullptr;
  submit_plain(stream, Weight::kWaiting, call.name,
               CallbackTask{inbox, function, data, block, runs ? new_name() : nullptr});
  return ACL_SUCCESS;
}

}  // namespace

void end_subscription(int32_t stream_id) {
  Subscriptions& all = subscriptions();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_stream.find(stream_id);
  if (found != all.by_stream.end()) erase(all, found);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtSubscribeReport", stream, [&](const Call& call, const Stream& found) {
    return subscribe(call, threadId, found);
  });
}

extern "C" aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtUnSubscribeReport", stream, [&](const Call& call, const Stream& found) {
    return unsubscribe(call, threadId, found);
  });
}

extern "C" aclError aclrtProcessReport(int32_t timeout) {
  return acl_call("aclrtProcessReport", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_timeout(call, timeout)) return code;
    return process(call, timeout);
  });
}

extern "C" aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                                        aclrtCallbackBlockType blockType, aclrtStream stream) {
  return with_stream(
      "aclrtLaunchCallback", stream, [&](const Call& call, Stream& found) -> int32_t {
        if (fn == nullptr) return call.null("fn");
        const int type = static_cast<int>(blockType);
        if (type != ACL_CALLBACK_NO_BLOCK && type != ACL_CALLBACK_BLOCK) {
          return call.fail(ACL_ERROR_RT_PARAM_INVALID, "blockType",
                           "is " + std::to_string(type) + "; pass 0 or ACL_CALLBACK_BLOCK (1)");
        }
        return launch(call, found, fn, userData, type == ACL_CALLBACK_BLOCK);
      });
}

extern "C" aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return with_stream("aclrtLaunchHostFunc", stream,
                     [&](const Call& call, Stream& found) -> int32_t {
                       if (fn == nullptr) return call.null("fn");
                       submit_plain(found, Weight::kWaiting, call.name, [fn, args](int32_t id) {
                         observe([&](Observer& o) {
                           o.joined_stream(id);
                           o.began("aclrtLaunchHostFunc", "", id);
                         });
                         fn(args);
                         observe([&](Observer& o) { o.ended("aclrtLaunchHostFunc", id); });
                         return Status();
                       });
                       return ACL_SUCCESS;
                     });
}
