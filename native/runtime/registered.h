// SPDX-License-Identifier: Apache-2.0
// Host memory of the program that it made known to the devices.
#pragma once

namespace aclhost {

// Whether an address lies in registered memory, which copies may be queued for.
bool is_registered(const void* pointer);

}  // namespace aclhost
