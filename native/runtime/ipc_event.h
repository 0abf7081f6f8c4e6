// SPDX-License-Identifier: Apache-2.0
// Events that streams of several processes record and wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/call.h"
#include "runtime/event.h"
#include "runtime/shared_word.h"
#include "runtime/stream.h"

namespace aclhost {

// Two counts in a word: of the records that were asked for, and of those that streams got to.
class SharedEvent {
 public:
  explicit SharedEvent(SharedWordPtr word) : word_(std::move(word)) {}

  std::string key() const { return word_->key(); }
  uint16_t recorded() const { return static_cast<uint16_t>(word_->load() >> 16); }
  bool is_reached(uint16_t record) const;
  uint16_t record();  // its number
  void reach(uint16_t record);
  // False after so many milliseconds (-1: never), or if the task that waits was dropped.
  bool wait(uint16_t record, int32_t timeout) const;

 private:
  const SharedWordPtr word_;
};

// The event gets what other processes can see; the reported failure if that cannot be.
int32_t make_shared_event(const Call& call, Event& event);

// What the functions of events do for one that is shared.
int32_t record_shared(const Call& call, const Event& event, Stream& stream);
int32_t await_shared(const Call& call, const Event& event, Stream& stream, int32_t timeout);
int32_t synchronize_shared(const Call& call, const Event& event, int32_t timeout);

}  // namespace aclhost
