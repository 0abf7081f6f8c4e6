// SPDX-License-Identifier: Apache-2.0
// Device memory and page-locked host memory, both ordinary pages of this process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/call.h"
#include "runtime/access.h"

namespace aclhost {

// Managed memory is the device's, and the program may touch it, too.
enum class MemoryKind { kDevice, kHost, kManaged };

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

// False if no live allocation of that kind starts at the pointer; managed memory is freed as that
// of a device. The pages stay for calls and queued tasks that touch them: a free does not wait for
// them, and they must not fault.
bool release(void* pointer, MemoryKind kind);

// Pages that somebody else mapped, and unmaps after disown(), become device memory.
void adopt(void* start, size_t size, int32_t device);
void disown(void* start);

// Returns when no queued work that touches the memory is left: before pages go that it would fault
// without.
void wait_for_users(const void* start, size_t size);

// Counts against the memory of a device; false if it has less.
bool charge(int32_t device, size_t size);
void discharge(int32_t device, size_t size);

// While one of these lives, memory that was found accessible stays so, whoever frees it; what the
// thread queues meanwhile keeps it on. See Note [Memory in use].
class MemoryUse {
 public:
  MemoryUse();
  ~MemoryUse();
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;

 private:
  int place_;
};

// The live allocation whose pages an address lies in; false if there is none.
bool find_allocation(const void* pointer, Allocation* found);

// True if the range starts inside an allocation and leaves its pages.
bool leaves_allocation(const void* pointer, size_t size);

// False if touching the range would fault.
// What was freed by the time `asked` does not count; tasks pass the time of their submission, since
// pages stay for the tasks that were there before the free.
bool is_accessible(const void* pointer, size_t size, Access access, uint64_t asked = UINT64_MAX);

// How often memory was freed or given back so far: the time of memory.
uint64_t frees();

// ACLHOST_DEVICE_MEMORY in bytes, with K, M, G or T; by default what the machine has.
size_t device_memory();

// 0, or the code, reported, if that variable makes no sense.
int32_t check_device_memory(const Call& call, int32_t code);
size_t used_device_memory(int32_t device);
size_t peak_device_memory(int32_t device);  // the most that was used at a time

int64_t live_allocations();  // of both kinds

}  // namespace aclhost
