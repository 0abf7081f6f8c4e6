// SPDX-License-Identifier: Apache-2.0
// Functions of the program that are told what happens to devices, streams and tasks.
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"
#include "base/status.h"

namespace aclhost {

// Called without any lock. They cost a comparison where nobody has registered a function.
void tell_device_state(int32_t device, aclrtDeviceState state);
void tell_stream_state(aclrtStream stream, aclrtStreamState state);
// 0, or what the first function that failed returned.
int32_t tell_task_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout);
// A task of a stream failed on its device.
void tell_exception(const Status& status, int32_t stream, int32_t device);

}  // namespace aclhost
