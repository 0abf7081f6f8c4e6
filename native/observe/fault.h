// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aclhost {

// From now on a fault in hidden device memory calls `explain` with the address, then ends the
// process as any fault does. Other faults go where they went before.
void watch_faults(void (*explain)(const void* address));

}  // namespace aclhost
