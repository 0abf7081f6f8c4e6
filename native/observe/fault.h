// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aclhost {

// From now on a fault in memory that strict mode keeps from the program calls `explain` with the
// address. True: the memory is open now, go on. False: the fault ends the process as any other.
// When several threads fault at once, the others wait for the first explanation. Faults elsewhere
// go where they went before.
void watch_faults(bool (*explain)(const void* address));

}  // namespace aclhost
