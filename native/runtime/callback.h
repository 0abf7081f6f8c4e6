// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace aclhost {

// A stream that has ended sends nobody callbacks any more; a thread that waits for them goes on.
void end_subscription(int32_t stream_id);

}  // namespace aclhost
