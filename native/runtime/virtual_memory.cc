// SPDX-License-Identifier: Apache-2.0
// Addresses and memory apart: a range is reserved, physical memory (a file of the kernel's that has
// no name) is made, and one is mapped into the other.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "base/observer.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/handle_table.h"
#include "runtime/memory.h"
#include "runtime/physical.h"

namespace aclhost {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

Immortal<HandleTable<Physical, 1>> physicals;

struct Mapping {
  size_t size;
  std::shared_ptr<Physical> memory;
  uint64_t access;
  bool is_reachable;  // false until aclrtMemSetAccess, of aclrtMemMapNoAccess
};

struct Space {
  std::mutex mutex;
  std::map<uintptr_t, size_t> reserved;  // sizes by start
  std::map<uintptr_t, Mapping> mapped;   // by start

  bool is_reserved(uintptr_t start, size_t size) {
    auto after = reserved.upper_bound(start);
    if (after == reserved.begin()) return false;
    --after;
    const size_t offset = start - after->first;
    return offset < after->second && size <= after->second - offset;
  }
  bool is_mapped(uintptr_t start, size_t size) {
    const auto after = mapped.lower_bound(start + size);
    if (after == mapped.begin()) return false;
    const auto& [begin, mapping] = *std::prev(after);
    return begin + mapping.size > start;
  }
};

Immortal<Space> space;

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

int32_t invalid(const Call& call, const char* parameter, const std::string& what) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter, what);
}

int32_t no_physical(const Call& call, const void* handle) {
  return invalid(call, "handle",
                 hex(handle) + " is not physical memory of aclrtMallocPhysical; it may be freed");
}

int32_t check_size(const Call& call, size_t size) {
  if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size", "is 0; ask for some bytes");
  if (size > largest_allocation() / 2) {
    return invalid(call, "size", std::to_string(size) + " is more than there are addresses for");
  }
  return ACL_SUCCESS;
}

int32_t no_room(const Call& call, size_t size) {
  return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                   std::to_string(size) +
                       " bytes are more than the device or the machine has; "
                       "free memory or raise ACLHOST_DEVICE_MEMORY");
}

size_t whole_units(size_t size) { return (size + kGranularity - 1) / kGranularity * kGranularity; }

// A unit more is asked for than needed, and what lies before and behind whole units given back.
void* reserve_pages(void* wanted, size_t size) {
  void* pages = mmap(wanted, size + kGranularity, PROT_NONE, kAnonymous, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  const uintptr_t begin = number(pages);
  const uintptr_t start = whole_units(begin);
  if (start > begin) munmap(pages, start - begin);
  const size_t behind = begin + kGranularity - start;
  if (behind > 0) munmap(reinterpret_cast<void*>(start + size), behind);
  return reinterpret_cast<void*>(start);
}

int32_t reserve(const Call& call, void** address, size_t size, size_t alignment, void* wanted) {
  if (address == nullptr) return call.null("virPtr");
  if (const int32_t code = check_size(call, size)) return code;
  if (alignment > kGranularity || (alignment & (alignment - 1)) != 0) {
    return invalid(call, "alignment", std::to_string(alignment) + "; pass 0");
  }
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  void* pages = reserve_pages(wanted, whole_units(size));
  if (pages == nullptr) return no_room(call, size);
  std::lock_guard<std::mutex> lock(space->mutex);
  space->reserved[number(pages)] = whole_units(size);
  *address = pages;
  // To strict mode all of the range is memory, mapped or not: tensors reach over pieces of it.
  observe([&](Observer& o) { o.allocated(pages, whole_units(size), context->device()); });
  return ACL_SUCCESS;
}

int32_t make_physical(const Call& call, aclrtDrvMemHandle* handle, size_t size,
                      const aclrtPhysicalMemProp& prop) {
  const auto device = static_cast<int32_t>(prop.location.id);
  if (const int32_t code = check_device(call, device)) return code;
  if (!charge(device, size)) return no_room(call, size);
  const auto file = static_cast<int>(syscall(SYS_memfd_create, "aclhost", 1 /* MFD_CLOEXEC */));
  auto memory = std::make_shared<Physical>(file, size, prop);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) return no_room(call, size);
  *handle = physicals->add(std::move(memory));
  return ACL_SUCCESS;
}

int32_t map_memory(const Call& call, void* address, size_t size, size_t offset, void* handle,
                   bool is_reachable) {
  if (address == nullptr) return call.null("virPtr");
  if (handle == nullptr) return call.null("handle");
  if (const int32_t code = check_size(call, size)) return code;
  const auto memory = physicals->find(handle);
  if (!memory) return no_physical(call, handle);
  if (offset % kGranularity != 0 || offset > memory->size || size > memory->size - offset) {
    return invalid(
        call, "size",
        "and offset leave the physical memory of " + std::to_string(memory->size) + " bytes");
  }
  std::lock_guard<std::mutex> lock(space->mutex);
  if (number(address) % kGranularity != 0 || !space->is_reserved(number(address), size)) {
    return invalid(call, "virPtr",
                   hex(address) + ": no range of aclrtReserveMemAddress has units of 2 MiB there");
  }
  if (space->is_mapped(number(address), size)) {
    return invalid(call, "virPtr", hex(address) + ": memory is mapped there; unmap it first");
  }
  const int protection = is_reachable ? PROT_READ | PROT_WRITE : PROT_NONE;
  if (mmap(address, size, protection, MAP_SHARED | MAP_FIXED, memory->file,
           static_cast<off_t>(offset)) != address) {
    return no_room(call, size);
  }
  const uint64_t access = is_reachable ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : 0;
  space->mapped[number(address)] = {size, memory, access, is_reachable};
  if (is_reachable) adopt(address, size, memory->device);
  return ACL_SUCCESS;
}

int32_t not_mapped(const Call& call, const void* address) {
  return invalid(call, "virPtr", hex(address) + ": aclrtMapMem mapped nothing there");
}

// The caller holds the lock.
int32_t unmap_unreachable(uintptr_t start, size_t size) {
  space->mapped.erase(start);
  mmap(reinterpret_cast<void*>(start), size, PROT_NONE, kAnonymous | MAP_FIXED, -1, 0);
  return ACL_SUCCESS;
}

int32_t unmap_memory(const Call& call, void* address) {
  if (address == nullptr) return call.null("virPtr");
  size_t size = 0;
  {
    std::lock_guard<std::mutex> lock(space->mutex);
    const auto found = space->mapped.find(number(address));
    if (found == space->mapped.end()) return not_mapped(call, address);
    size = found->second.size;
    if (!found->second.is_reachable) return unmap_unreachable(found->first, size);
  }
  wait_for_users(address, size);
  std::lock_guard<std::mutex> lock(space->mutex);
  if (space->mapped.erase(number(address)) == 0) return not_mapped(call, address);
  disown(address);
  mmap(address, size, PROT_NONE, kAnonymous | MAP_FIXED, -1, 0);
  return ACL_SUCCESS;
}

int32_t make_reachable(const Call& call, Mapping& mapping, void* start) {
  if (mprotect(start, mapping.size, PROT_READ | PROT_WRITE) != 0)
    return no_room(call, mapping.size);
  mapping.is_reachable = true;
  adopt(start, mapping.size, mapping.memory->device);
  return ACL_SUCCESS;
}

int32_t release_range(const Call& call, void* address) {
  if (address == nullptr) return call.null("virPtr");
  std::lock_guard<std::mutex> lock(space->mutex);
  const auto found = space->reserved.find(number(address));
  if (found == space->reserved.end()) {
    return invalid(call, "virPtr",
                   hex(address) + " is not the start of a range of aclrtReserveMemAddress");
  }
  if (space->is_mapped(found->first, found->second)) {
    return invalid(call, "virPtr", hex(address) + ": memory is mapped there; unmap it first");
  }
  munmap(address, found->second);
  space->reserved.erase(found);
  observe([&](Observer& o) { o.freed(call.name, address, true); });
  return ACL_SUCCESS;
}

// Calls `use`, an int32_t(Mapping&, void* start), with the mapping that holds an address.
template <typename Use>
int32_t with_mapping(const Call& call, const void* address, Use&& use) {
  if (address == nullptr) return call.null("virPtr");
  std::lock_guard<std::mutex> lock(space->mutex);
  auto after = space->mapped.upper_bound(number(address));
  if (after == space->mapped.begin()) return not_mapped(call, address);
  --after;
  if (number(address) - after->first >= after->second.size) return not_mapped(call, address);
  return use(after->second, reinterpret_cast<void*>(after->first));
}

}  // namespace

HandleTable<Physical, 1>& physical_memory() { return *physicals; }

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                     aclrtMemGranularityOptions option,
                                                     size_t* granularity) {
  return acl_call("aclrtMemGetAllocationGranularity", [&](const Call& call) {
    if (prop == nullptr) return call.null("prop");
    if (granularity == nullptr) return call.null("granularity");
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
      return invalid(call, "option", "must be 0 or 1");
    }
    *granularity = kGranularity;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,
                                           void* expectPtr, uint64_t) {
  return acl_call("aclrtReserveMemAddress", [&](const Call& call) {
    return reserve(call, virPtr, size, alignment, expectPtr);
  });
}

extern "C" aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment,
                                                     void* expectPtr, uint64_t) {
  return acl_call("aclrtReserveMemAddressNoUCMemory", [&](const Call& call) {
    return reserve(call, virPtr, size, alignment, expectPtr);
  });
}

extern "C" aclError aclrtReleaseMemAddress(void* virPtr) {
  return acl_call("aclrtReleaseMemAddress",
                  [&](const Call& call) { return release_range(call, virPtr); });
}

extern "C" aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                        const aclrtPhysicalMemProp* prop, uint64_t) {
  return acl_call("aclrtMallocPhysical", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    if (prop == nullptr) return call.null("prop");
    if (const int32_t code = check_size(call, size)) return code;
    if (!current_context()) return no_context(call);
    return make_physical(call, handle, whole_units(size), *prop);
  });
}

extern "C" aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return acl_call("aclrtFreePhysical", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return physicals->remove(handle) ? ACL_SUCCESS : no_physical(call, handle);
  });
}

extern "C" aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                uint64_t) {
  return acl_call("aclrtMapMem", [&](const Call& call) {
    return map_memory(call, virPtr, size, offset, handle, true);
  });
}

extern "C" aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset,
                                        aclrtDrvMemHandle handle, uint64_t flags) {
  return acl_call("aclrtMemMapNoAccess", [&](const Call& call) {
    if (flags != 0) return call.fail(ACL_ERROR_INVALID_PARAM, "flags", "must be 0");
    return map_memory(call, virPtr, size, offset, handle, false);
  });
}

extern "C" aclError aclrtUnmapMem(void* virPtr) {
  return acl_call("aclrtUnmapMem", [&](const Call& call) { return unmap_memory(call, virPtr); });
}

extern "C" aclError aclrtMemSetAccess(void* virPtr, size_t, aclrtMemAccessDesc* desc,
                                      size_t count) {
  return acl_call("aclrtMemSetAccess", [&](const Call& call) {
    if (desc == nullptr) return call.null("desc");
    if (count == 0) return invalid(call, "count", "is 0; describe an access");
    return with_mapping(call, virPtr, [&](Mapping& mapping, void* start) -> int32_t {
      // Kept and given back: a task must not fault because of it.
      mapping.access = static_cast<uint64_t>(desc[count - 1].flags);
      return mapping.is_reachable || mapping.access == 0 ? ACL_SUCCESS
                                                         : make_reachable(call, mapping, start);
    });
  });
}

extern "C" aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  return acl_call("aclrtMemGetAccess", [&](const Call& call) {
    if (location == nullptr) return call.null("location");
    if (flag == nullptr) return call.null("flag");
    return with_mapping(call, virPtr, [&](const Mapping& mapping, void*) {
      *flag = mapping.access;
      return ACL_SUCCESS;
    });
  });
}

extern "C" aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return acl_call("aclrtMemRetainAllocationHandle", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return with_mapping(call, virPtr, [&](const Mapping& mapping, void*) {
      *handle = physicals->add(mapping.memory);
      return ACL_SUCCESS;
    });
  });
}

extern "C" aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                              aclrtPhysicalMemProp* prop) {
  return acl_call("aclrtMemGetAllocationPropertiesFromHandle", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    if (prop == nullptr) return call.null("prop");
    const auto memory = physicals->find(handle);
    if (!memory) return no_physical(call, handle);
    *prop = memory->prop;
    return ACL_SUCCESS;
  });
}
