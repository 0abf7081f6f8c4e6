// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace aclhost {

// Bytes of the largest cache that this processor's cores share; a usual size where the system does
// not tell.
int64_t last_level_cache();

}  // namespace aclhost
