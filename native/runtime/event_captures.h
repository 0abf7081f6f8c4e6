// SPDX-License-Identifier: Apache-2.0
// What events do on streams whose tasks are kept for a graph.
#pragma once

#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/event.h"
#include "runtime/stream.h"

namespace aclhost {

// Whether a stream's tasks are kept for a graph, without being captured: a model is built.
bool is_built(const Stream& queue);

// The graph records, awaits or resets the event, which is not its own, at each run.
int32_t record_outside(const Call& call, aclrtEvent event, Stream& queue, TaskKind kind);

int32_t record_captured(const Call& call, Capture& capture, aclrtEvent handle, Event& event,
                        Stream& queue);

// The stream joins the capture, unless it takes part already.
int32_t wait_captured(const Call& call, Capture& capture, int edge, aclrtEvent handle, Event& event,
                      Stream& queue, aclrtStream stream);

// A captured stream waits for an event that was not recorded in its capture.
int32_t wait_outside(const Call& call, aclrtEvent handle, Event& event, Stream& queue);

}  // namespace aclhost
