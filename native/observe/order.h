// SPDX-License-Identifier: Apache-2.0
// What happens before what: vector clocks of the streams, and what the program has awaited.
//
// All threads of the program count as one, since nobody sees how they synchronise with each other.
// That can hide a race, but never invent one. Work that the program has awaited comes before all
// that it does from then on, so clocks hold only what it has not; of ended streams nothing is kept.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

namespace aclhost {

struct Moment {
  int32_t stream;
  uint64_t time;
};

class Order {
 public:
  Moment submit(int32_t stream);  // a new task, after all that the stream knows of
  Moment now(int32_t stream);     // its latest task

  bool before_stream(Moment moment, int32_t stream) const;
  bool before_host(Moment moment) const;

  void record(uint64_t mark, Moment moment);
  bool await(uint64_t mark, int32_t stream);  // false if it was not recorded yet
  void end_mark(uint64_t mark) { marks_.erase(mark); }

  void join_stream(int32_t stream);
  void join_mark(uint64_t mark);
  void end_stream(int32_t stream);  // whatever it did counts as awaited

 private:
  using Clock = std::map<int32_t, uint64_t>;  // times of streams

  struct Line {
    uint64_t time = 0;
    uint64_t awaited = 0;  // by the program
    Clock others;          // what came before, through events
  };

  struct Record {
    Moment moment;
    Clock others;
  };

  void join(Moment moment);
  void join_all(const Clock& clock);
  void forget_awaited(Clock& clock) const;

  std::unordered_map<int32_t, Line> lines_;
  std::unordered_map<uint64_t, Record> marks_;
};

}  // namespace aclhost
