// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"

namespace aclhost {
namespace {

// Published samples describe tensors larger than the buffers they allocated. Hardware hides that
// with its large pages, so zeros have to follow every allocation here as well.
constexpr size_t kTail = 64 * 1024;
constexpr size_t kPadding = 32;

struct Allocation {
  size_t mapped;
  MemoryKind kind;
};

// Where to ask the kernel for pages. Walking through this range means that an address comes back
// only after 48 TiB, so that a second free of a pointer does not hit a newer allocation. It is a
// wish only: where the kernel cannot grant it, any other address will do.
constexpr uintptr_t kWalkBegin = 0x200000000000;
constexpr uintptr_t kWalkEnd = 0x500000000000;

struct Allocations {
  std::mutex mutex;
  std::map<uintptr_t, Allocation> by_address;
  uintptr_t next_address = kWalkBegin;

  void* wish(size_t size) {
    if (size > kWalkEnd - kWalkBegin) return nullptr;
    if (size > kWalkEnd - next_address) next_address = kWalkBegin;
    return reinterpret_cast<void*>(std::exchange(next_address, next_address + size));
  }
};

Allocations& allocations() {
  static auto& instance = *new Allocations;
  return instance;
}

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// The bytes to map, or 0 if that number does not exist.
size_t mapped_size(size_t size) {
  static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (size > SIZE_MAX - 2 * (kTail + page)) return 0;
  return round_up(round_up(size, 32) + kPadding + kTail, page);
}

int32_t allocate_for(const Call& call, const char* parameter, void** pointer, size_t size,
                     MemoryKind kind) {
  if (pointer == nullptr) return call.null(parameter);
  if (size == 0 || mapped_size(size) == 0) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "size",
                     "is " + std::to_string(size) + "; ask for at least one byte" +
                         (size == 0 ? "" : " and for no more than an address can count"));
  }
  if (!current_context()) return no_context(call);
  void* memory = allocate(size, kind);
  if (memory == nullptr) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                     "is " + std::to_string(size) +
                         " bytes, more than this machine can give; free memory or ask for less");
  }
  *pointer = memory;
  return ACL_SUCCESS;
}

int32_t release_for(const Call& call, const char* parameter, void* pointer, MemoryKind kind) {
  if (pointer == nullptr) return call.null(parameter);
  if (release(pointer, kind)) return ACL_SUCCESS;
  const char* origin = kind == MemoryKind::kDevice ? "aclrtMalloc" : "aclrtMallocHost";
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
                   hex(pointer) + " is not the start of a live allocation made by " + origin +
                       "; it may have been freed before");
}

int32_t leaves(const Call& call, const char* parameter, const void* pointer, size_t count) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
                   hex(pointer) + ": the allocation it lies in ends before count (" +
                       std::to_string(count) + ") bytes; allocate more or pass a smaller count");
}

int32_t too_many(const Call& call, const char* limit_name, size_t limit, size_t count) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count",
                   "is " + std::to_string(count) + " but " + limit_name + " is " +
                       std::to_string(limit) + "; the target must have room for count bytes");
}

}  // namespace

void* allocate(size_t size, MemoryKind kind) {
  const size_t mapped = mapped_size(size);
  if (mapped == 0) return nullptr;
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  void* memory = mmap(all.wish(mapped), mapped, kAccess, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  all.by_address[reinterpret_cast<uintptr_t>(memory)] = {mapped, kind};
  return memory;
}

bool release(void* pointer, MemoryKind kind) {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_address.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.by_address.end() || found->second.kind != kind) return false;
  munmap(pointer, found->second.mapped);
  all.by_address.erase(found);
  return true;
}

bool leaves_allocation(const void* pointer, size_t size) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto after = all.by_address.upper_bound(address);
  if (after == all.by_address.begin()) return false;
  const auto& [start, allocation] = *--after;
  const size_t offset = address - start;
  return offset < allocation.mapped && size > allocation.mapped - offset;
}

int64_t live_allocations() {
  Allocations& all = allocations();
  std::lock_guard<std::mutex> lock(all.mutex);
  return static_cast<int64_t>(all.by_address.size());
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return acl_call("aclrtMalloc", [&](const Call& call) {
    return allocate_for(call, "devPtr", devPtr, size, MemoryKind::kDevice);
  });
}

extern "C" aclError aclrtFree(void* devPtr) {
  return acl_call("aclrtFree", [&](const Call& call) {
    return release_for(call, "devPtr", devPtr, MemoryKind::kDevice);
  });
}

extern "C" aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return acl_call("aclrtMallocHost", [&](const Call& call) {
    return allocate_for(call, "hostPtr", hostPtr, size, MemoryKind::kHost);
  });
}

extern "C" aclError aclrtFreeHost(void* hostPtr) {
  return acl_call("aclrtFreeHost", [&](const Call& call) {
    return release_for(call, "hostPtr", hostPtr, MemoryKind::kHost);
  });
}

extern "C" aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                aclrtMemcpyKind kind) {
  return acl_call("aclrtMemcpy", [&](const Call& call) {
    if (count == 0) return ACL_SUCCESS;
    if (dst == nullptr) return call.null("dst");
    if (src == nullptr) return call.null("src");
    const int direction = static_cast<int>(kind);
    if (direction < ACL_MEMCPY_HOST_TO_HOST || direction > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "kind",
                       "is " + std::to_string(direction) +
                           "; this call takes the directions 0 to 5 of aclrtMemcpyKind");
    }
    if (count > destMax) return too_many(call, "destMax", destMax, count);
    if (dst == src) return ACL_SUCCESS;
    if (!current_context()) return no_context(call);
    if (leaves_allocation(dst, count)) return leaves(call, "dst", dst, count);
    if (leaves_allocation(src, count)) return leaves(call, "src", src, count);
    std::memmove(dst, src, count);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return acl_call("aclrtMemset", [&](const Call& call) {
    if (count == 0) return ACL_SUCCESS;
    if (devPtr == nullptr) return call.null("devPtr");
    if (!current_context()) return no_context(call);
    if (count > maxCount) return too_many(call, "maxCount", maxCount, count);
    if (leaves_allocation(devPtr, count)) return leaves(call, "devPtr", devPtr, count);
    std::memset(devPtr, value, count);
    return ACL_SUCCESS;
  });
}
