// SPDX-License-Identifier: Apache-2.0
#include "observe/order.h"

#include <algorithm>

namespace aclhost {

Moment Order::submit(int32_t stream) { return {stream, ++lines_[stream].time}; }

Moment Order::now(int32_t stream) { return {stream, lines_[stream].time}; }

bool Order::before_stream(Moment moment, int32_t stream) const {
  if (moment.stream == stream || before_host(moment)) return true;
  const auto line = lines_.find(stream);
  if (line == lines_.end()) return false;
  const auto known = line->second.others.find(moment.stream);
  return known != line->second.others.end() && known->second >= moment.time;
}

bool Order::before_host(Moment moment) const {
  const auto line = lines_.find(moment.stream);
  return line == lines_.end() || line->second.awaited >= moment.time;
}

void Order::record(uint64_t mark, Moment moment) {
  Line& line = lines_[moment.stream];
  forget_awaited(line.others);
  marks_[mark] = {moment, line.others};
}

bool Order::await(uint64_t mark, int32_t stream) {
  const auto found = marks_.find(mark);
  if (found == marks_.end()) return false;
  const Record& record = found->second;
  Clock& own = lines_[stream].others;
  const auto learn = [&own](int32_t other, uint64_t time) {
    uint64_t& known = own[other];
    known = std::max(known, time);
  };
  learn(record.moment.stream, record.moment.time);
  for (const auto& [other, time] : record.others) learn(other, time);
  forget_awaited(own);
  return true;
}

void Order::join(Moment moment) {
  const auto line = lines_.find(moment.stream);
  if (line == lines_.end()) return;
  line->second.awaited = std::max(line->second.awaited, moment.time);
}

void Order::join_all(const Clock& clock) {
  for (const auto& [stream, time] : clock) join({stream, time});
}

void Order::join_stream(int32_t stream) {
  const auto line = lines_.find(stream);
  if (line == lines_.end()) return;
  line->second.awaited = line->second.time;
  join_all(line->second.others);
  line->second.others.clear();
}

void Order::join_mark(uint64_t mark) {
  const auto found = marks_.find(mark);
  if (found == marks_.end()) return;
  join(found->second.moment);
  join_all(found->second.others);
}

void Order::end_stream(int32_t stream) {
  join_stream(stream);
  lines_.erase(stream);
}

void Order::forget_awaited(Clock& clock) const {
  for (auto it = clock.begin(); it != clock.end();) {
    it = before_host({it->first, it->second}) ? clock.erase(it) : std::next(it);
  }
}

}  // namespace aclhost
