// SPDX-License-Identifier: Apache-2.0
// Device memory and page-locked host memory, both ordinary pages of this process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclhost {

enum class MemoryKind { kDevice, kHost };

struct Allocation {
  uintptr_t start = 0;
  size_t size = 0;    // as asked for
  size_t mapped = 0;  // as usable without a fault
  MemoryKind kind = MemoryKind::kDevice;
  int32_t device = 0;
};

// The largest size that can be asked for at all.
size_t largest_allocation();

// Zero-filled, 64-byte aligned, usable beyond the end (see memory.cc); null when out of memory. The
// padding counts against the memory of a device.
void* allocate(size_t size, size_t padding, MemoryKind kind, int32_t device);

// False if no live allocation of that kind starts at the pointer. The pages stay until the tasks
// that are queued now have passed: a free does not wait for them, and they must not fault.
bool release(void* pointer, MemoryKind kind);

// The live allocation whose pages an address lies in; false if there is none.
bool find_allocation(const void* pointer, Allocation* found);

// True if the range starts inside an allocation and leaves its pages.
bool leaves_allocation(const void* pointer, size_t size);

// False if touching the range would fault.
bool is_mapped(const void* pointer, size_t size);

// ACLHOST_DEVICE_MEMORY in bytes, with K, M, G or T; by default what the machine has.
size_t device_memory();
size_t used_device_memory(int32_t device);

int64_t live_allocations();  // of both kinds

}  // namespace aclhost
