// SPDX-License-Identifier: Apache-2.0
// Pages from the kernel at addresses that do not come back soon.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclhost {

// Strict mode keeps memory from the program. Of hidden pages, which are the device's, the program's
// address is mapped without access. Mirrored pages, which are pinned memory, it sees under one
// address while the library uses another, so that access can be taken away for a while.
enum class Pages { kOpen, kHidden, kMirrored };

// Zero-filled; null where there is no memory.
void* map_pages(size_t size, Pages kind);
void unmap_pages(void* pages, size_t size, Pages kind);

// Where kernels and copies find what a program calls by this address. The same, outside strict
// mode.
void* reachable(const void* address);

// Whether hidden pages may lie there or just behind.
bool is_hidden(const void* address);
// The same for pages of any kind that the program may have no access to.
bool is_guarded(const void* address);

}  // namespace aclhost
