// SPDX-License-Identifier: Apache-2.0
// Pages from the kernel at addresses that do not come back soon.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclhost {

// Zero-filled; null where there is no memory. In strict mode a hidden range has its pages
// elsewhere: the address itself is mapped without access.
void* map_pages(size_t size, bool hidden);
void unmap_pages(void* pages, size_t size, bool hidden);

// Where kernels and copies find what a program calls by this address. The same, outside strict
// mode.
void* reachable(const void* address);

// Whether a hidden range may lie there.
bool is_hidden(const void* address);

}  // namespace aclhost
