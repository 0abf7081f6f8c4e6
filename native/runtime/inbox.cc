// SPDX-License-Identifier: Apache-2.0
#include "runtime/inbox.h"

#include <pthread.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/observer.h"
#include "base/threads.h"

namespace aclhost {
namespace {

// Reaches the mark when a function of the program is over, however it ends.
struct Ending {
  const MarkPtr& over;
  ~Ending() { over->reach(); }
};

}  // namespace

void Inbox::put(Report report) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return report.over->reach();
  reports_.push_back(std::move(report));
  changed_.notify_one();
}

bool Inbox::take(int32_t timeout, Report* report) {
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

void Inbox::close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  for (Report& report : reports_) report.over->reach();
  reports_.clear();
  changed_.notify_all();
}

std::shared_ptr<Inbox> Subscriptions::of_thread(uint64_t thread) {
  for (const auto& [stream, subscription] : by_stream_) {
    if (subscription.thread == thread) return subscription.inbox;
  }
  return nullptr;
}

void Subscriptions::erase(ByStream::iterator found) {
  const Subscription ended = found->second;
  by_stream_.erase(found);
  if (of_thread(ended.thread) == nullptr) ended.inbox->close();
}

int32_t Subscriptions::subscribe(const Call& call, const Names& names, uint64_t thread,
                                 int32_t stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (by_stream_.count(stream) != 0) {
    return call.fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, names.stream,
                     std::string("has a thread for its ") + names.what + " already; call " +
                         names.unsubscribe + " first");
  }
  std::shared_ptr<Inbox> inbox = of_thread(thread);
  if (inbox == nullptr) inbox = std::make_shared<Inbox>();
  by_stream_[stream] = {thread, std::move(inbox)};
  return ACL_SUCCESS;
}

int32_t Subscriptions::unsubscribe(const Call& call, const Names& names, uint64_t thread,
                                   int32_t stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_stream_.find(stream);
  if (found == by_stream_.end()) {
    return call.fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, names.stream,
                     std::string("has no thread for its ") + names.what);
  }
  if (found->second.thread != thread) {
    return call.fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, names.thread,
                     std::string("is not the thread that the stream's ") + names.what + " go to");
  }
  erase(found);
  return ACL_SUCCESS;
}

int32_t Subscriptions::process(const Call& call, const Names& names, int32_t timeout) {
  std::shared_ptr<Inbox> inbox;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    inbox = of_thread(static_cast<uint64_t>(pthread_self()));
  }
  if (inbox == nullptr) {
    return call.fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "",
                     std::string("no stream sends its ") + names.what + " to this thread; call " +
                         names.subscribe + " with this thread's id (pthread_self)");
  }
  Report report;
  if (!inbox->take(timeout, &report)) {
    return call.fail(
        ACL_ERROR_RT_REPORT_TIMEOUT, "timeout",
        "of " + std::to_string(timeout) + " ms passed without one of the " + names.what);
  }
  const Ending ending{report.over};
  observe([&](Observer& o) { o.destroyed(report.name); });
  report.function(report.data);
  return ACL_SUCCESS;
}

std::shared_ptr<Inbox> Subscriptions::of_stream(int32_t stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_stream_.find(stream);
  return found == by_stream_.end() ? nullptr : found->second.inbox;
}

void Subscriptions::end(int32_t stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_stream_.find(stream);
  if (found != by_stream_.end()) erase(found);
}

}  // namespace aclhost
