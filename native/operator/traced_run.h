// SPDX-License-Identifier: Apache-2.0
// Operators as Python functions in the timeline: no stream runs them, and no phase 1 describes
// them.
#pragma once

#include "base/status.h"
#include "operator/args.h"

namespace aclhost {

bool is_traced();  // whether ACLHOST_TRACE is set; read once

// run(), as a slice of the calling thread's row.
Status run_traced(Args& args);

}  // namespace aclhost
