// SPDX-License-Identifier: Apache-2.0
// Whether the program's own memory can be touched.
#pragma once

#include <cstddef>

namespace aclhost {

enum class Access { kRead, kWrite };

// False if touching any byte of the range would fault: nothing mapped, no permission, or behind the
// end of a mapped file. Pages may be brought into memory.
bool accessible(const void* pointer, size_t size, Access access);

}  // namespace aclhost
