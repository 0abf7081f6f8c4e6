// SPDX-License-Identifier: Apache-2.0
// Device memory and page-locked host memory, both ordinary pages of this process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclhost {

enum class MemoryKind { kDevice, kHost };

// Zero-filled, 64-byte aligned, usable beyond the end (see memory.cc); null when out of memory.
void* allocate(size_t size, MemoryKind kind);

// False if no live allocation of that kind starts at the pointer.
bool release(void* pointer, MemoryKind kind);

// True if the range starts inside an allocation and leaves its pages.
bool leaves_allocation(const void* pointer, size_t size);

int64_t live_allocations();  // of both kinds

}  // namespace aclhost
