// SPDX-License-Identifier: Apache-2.0
// Tasks that write 64 bits, or wait until 64 bits have a value.
#pragma once

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/graph.h"

namespace aclhost {

// The same as a graph's task: what it writes or waits for, and other values for it.
void fill_value_params(const Step& step, aclmdlRITaskParams* params);
int32_t set_value_params(const Call& call, GraphTask& task, const aclmdlRITaskParams& params);

}  // namespace aclhost
