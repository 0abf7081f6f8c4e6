// SPDX-License-Identifier: Apache-2.0
// How C functions look up the stream that they are given.
#pragma once

#include "base/call.h"
#include "runtime/context.h"
#include "runtime/stream.h"

namespace aclhost {

// For a body of the form `int32_t(const Call&, Stream&)`; null is the default stream.
template <typename Body>
int32_t with_stream(const char* name, aclrtStream stream, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    const StreamRef found = find_stream(stream);
    return found ? body(call, *found) : stream_not_found(call, stream);
  });
}

// The same for functions that need a context even where the stream is that of another one.
template <typename Body>
int32_t with_stream_in_context(const char* name, aclrtStream stream, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (!current_context()) return no_context(call);
    const StreamRef found = find_stream(stream);
    return found ? body(call, *found) : no_stream(call, stream);
  });
}

// The same for functions that have no use for the default stream, and refuse null.
template <typename Body>
int32_t with_given_stream(const char* name, aclrtStream stream, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("stream");
    const StreamRef found = streams().find(stream);
    return found ? body(call, *found) : no_stream(call, stream);
  });
}

}  // namespace aclhost
