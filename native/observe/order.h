// SPDX-License-Identifier: Apache-2.0
// What happens before what: vector clocks of the streams and of the program.
//
// All threads of the program count as one, since nobody sees how they synchronise with each other.
// That can hide a race, but never invent one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace aclhost {

struct Moment {
  int32_t stream;
  uint64_t time;
};

class Order {
 public:
  // A new task of the stream, after all that the stream and the program know of.
  Moment submit(int32_t stream) {
    Clock& clock = streams_[stream];
    merge(clock, host_);
    return {stream, ++clock[stream]};
  }

  bool before_stream(Moment moment, int32_t stream) {
    return is_blind(stream) || knows(streams_[stream], moment);
  }
  bool before_host(Moment moment) const { return knows(host_, moment); }

  void join_stream(int32_t stream) { merge(host_, streams_[stream]); }

  void record(const void* mark, int32_t stream) {
    Clock& clock = streams_[stream];
    merge(clock, host_);
    marks_[mark] = clock;
    for (auto& [waiting, open] : open_waits_) {
      if (open.erase(mark) != 0) merge(streams_[waiting], clock);
    }
  }

  void await(const void* mark, int32_t stream) {
    const auto found = marks_.find(mark);
    if (found == marks_.end()) {
      open_waits_[stream].insert(mark);  // nobody knows yet what the stream will come after
    } else {
      merge(streams_[stream], found->second);
    }
  }

  void join_mark(const void* mark) { merge(host_, marks_[mark]); }

 private:
  using Clock = std::map<int32_t, uint64_t>;

  static void merge(Clock& into, const Clock& other) {
    for (const auto& [stream, time] : other) {
      uint64_t& own = into[stream];
      own = std::max(own, time);
    }
  }

  static bool knows(const Clock& clock, Moment moment) {
    const auto found = clock.find(moment.stream);
    return found != clock.end() && found->second >= moment.time;
  }

  bool is_blind(int32_t stream) const {
    const auto found = open_waits_.find(stream);
    return found != open_waits_.end() && !found->second.empty();
  }

  Clock host_;
  std::map<int32_t, Clock> streams_;
  std::map<const void*, Clock> marks_;
  std::map<int32_t, std::set<const void*>> open_waits_;
};

}  // namespace aclhost
