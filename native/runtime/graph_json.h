// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/call.h"
#include "runtime/graph.h"

namespace aclhost {

// Writes a graph for chrome://tracing: a row for each stream, a box for each task. Verbose, boxes
// tell shapes, dtypes and bytes, too.
int32_t write_json(const Call& call, const Graph& graph, const char* path, bool verbose);

}  // namespace aclhost
