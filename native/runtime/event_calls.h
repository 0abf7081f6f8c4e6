// SPDX-License-Identifier: Apache-2.0
// How C functions look up events.
#pragma once

#include "base/call.h"
#include "runtime/event.h"
#include "runtime/stream.h"

namespace aclhost {

int32_t no_event(const Call& call, aclrtEvent event);

// Looks the event up for a body of the form `int32_t(const Call&, Event&)`.
template <typename Body>
int32_t with_event(const char* name, aclrtEvent event, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (event == nullptr) return call.null("event");
    const EventRef found = events().find(event);
    return found ? body(call, *found) : no_event(call, event);
  });
}

template <typename Body>
int32_t with_event_and_stream(const char* name, aclrtEvent event, aclrtStream stream, Body&& body) {
  return with_event(name, event, [&](const Call& call, Event& found) -> int32_t {
    const StreamRef queue = find_stream(stream);
    return queue ? body(call, found, *queue) : stream_not_found(call, stream);
  });
}

}  // namespace aclhost
