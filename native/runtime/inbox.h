// SPDX-License-Identifier: Apache-2.0
// Threads of the program that run functions for streams.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/event.h"

namespace aclhost {

// One function to run.
struct Report {
  const void* name;  // to observers
  aclrtCallback function;
  void* data;
  MarkPtr over;  // reached when the function has returned, or will never run
};

// What one thread has to do. Streams hold it, so that an unsubscribed one still ends well.
class Inbox {
 public:
  void put(Report report);
  // False if nothing came in so many milliseconds (-1: any), or nothing will.
  bool take(int32_t timeout, Report* report);
  // Nobody will look again: whoever waits for a report must not wait for ever.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Report> reports_;
  bool closed_ = false;
};

// Which thread runs the functions of which stream.
class Subscriptions {
 public:
  // Words for messages.
  struct Names {
    const char* what;
    const char* stream;  // the parameters
    const char* thread;
    const char* subscribe;  // the calls
    const char* unsubscribe;
  };

  int32_t subscribe(const Call& call, const Names& names, uint64_t thread, int32_t stream);
  int32_t unsubscribe(const Call& call, const Names& names, uint64_t thread, int32_t stream);
  // Runs one function that is meant for the calling thread.
  int32_t process(const Call& call, const Names& names, int32_t timeout);
  std::shared_ptr<Inbox> of_stream(int32_t stream);  // null if there is none
  void end(int32_t stream);

 private:
  struct Subscription {
    uint64_t thread;
    std::shared_ptr<Inbox> inbox;
  };
  using ByStream = std::map<int32_t, Subscription>;

  // The caller of these holds the mutex.
  std::shared_ptr<Inbox> of_thread(uint64_t thread);
  void erase(ByStream::iterator found);

  std::mutex mutex_;
  ByStream by_stream_;  // by the stream's id
};

}  // namespace aclhost
