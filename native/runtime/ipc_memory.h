// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aclhost {

// Memory that is freed is no longer offered to other processes.
void end_sharing(const void* start);

}  // namespace aclhost
