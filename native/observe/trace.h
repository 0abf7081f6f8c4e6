// SPDX-License-Identifier: Apache-2.0
// A timeline in the JSON that Perfetto and chrome://tracing open.
#pragma once

#include "base/observer.h"

namespace aclhost {

// Lives as long as the process, which writes the file when it ends.
Observer* make_trace_observer(const char* path);

}  // namespace aclhost
