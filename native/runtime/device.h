// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/call.h"

namespace aclhost {

constexpr int32_t kMaxDevices = 64;

// From ACLHOST_DEVICES (default 1), narrowed by ASCEND_RT_VISIBLE_DEVICES; read once.
int32_t device_count();

// 0, or the reported failure for an id that does not exist.
int32_t check_device(const Call& call, int32_t device);

// How many streams clients created on a device and have not destroyed.
std::atomic<int32_t>& stream_count(int32_t device);

}  // namespace aclhost
