// SPDX-License-Identifier: Apache-2.0
// The C functions that allocate, free and ask about memory.
#include <cstdlib>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "base/machine_memory.h"
#include "base/observer.h"
#include "base/soc.h"
#include "runtime/context.h"
#include "runtime/ipc_memory.h"
#include "runtime/memory.h"
#include "runtime/memory_pool.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// 0 if the variable makes no sense.
size_t read_device_memory() {
  const char* text = std::getenv("ACLHOST_DEVICE_MEMORY");
  if (text == nullptr || *text == '\0') return machine_memory();
  size_t size = 0;
  return parse_size(text, &size) ? size : 0;
}

// What hardware puts behind an allocation; it counts against the device's memory.
size_t padding_of(aclrtMemMallocPolicy policy) {
  const bool gigantic =
      policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
  const Soc* soc = current_soc();
  const bool dense = soc != nullptr && soc->product == Product::kA950;
  return gigantic || dense ? 0 : 32;
}

int32_t allocate_for(const Call& call, const char* parameter, void** pointer, size_t size,
                     size_t padding, MemoryKind kind) {
  if (pointer == nullptr) return call.null(parameter);
  if (size == 0 || size > largest_allocation()) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "size",
                     "is " + std::to_string(size) + "; ask for at least one byte" +
                         (size == 0 ? "" : " and for no more than an address can count"));
  }
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  void* memory = allocate(size, padding, kind, context->device());
  if (memory == nullptr) {
    const size_t used = used_device_memory(context->device());
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                     "is " + std::to_string(size) + " bytes but device " +
                         std::to_string(context->device()) + " has " +
                         std::to_string(device_memory() - used) + " of " +
                         std::to_string(device_memory()) +
                         " left, or the machine has less; free memory, ask for less or raise "
                         "ACLHOST_DEVICE_MEMORY");
  }
  *pointer = memory;
  const int32_t device = kind == MemoryKind::kHost ? kNoDevice : context->device();
  observe([&](Observer& o) { o.allocated(memory, size, device); });
  return ACL_SUCCESS;
}

int32_t release_for(const Call& call, const char* parameter, void* pointer, MemoryKind kind) {
  if (pointer == nullptr) return call.null(parameter);
  const bool found = release(pointer, kind);
  observe([&](Observer& o) { o.freed(call.name, pointer, found); });
  if (found) return ACL_SUCCESS;
  const char* origin = kind == MemoryKind::kDevice ? "aclrtMalloc" : "aclrtMallocHost";
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
                   hex(pointer) + " is not the start of a live allocation made by " + origin +
                       "; it may have been freed before");
}

int32_t allocate_device(const char* name, void** pointer, size_t size, size_t padding) {
  return acl_call(name, [&](const Call& call) {
    return allocate_for(call, "devPtr", pointer, size, padding, MemoryKind::kDevice);
  });
}

// Wishes that nothing follows from: all memory of a device is alike.
int32_t allocate_with(const char* name, void** pointer, size_t size, aclrtMemMallocPolicy policy,
                      const aclrtMallocConfig* wishes) {
  if (wishes != nullptr && wishes->numAttrs > 0 && wishes->attrs == nullptr) {
    return acl_call(name, [](const Call& call) { return call.null("cfg->attrs"); });
  }
  return allocate_device(name, pointer, size, padding_of(policy));
}

bool is_counted(int attr) {
  return (attr >= ACL_DDR_MEM && attr <= ACL_HBM_MEM_NORMAL) || attr == ACL_MEM_NORMAL ||
         attr == ACL_MEM_HUGE;
}

aclrtMemLocationType location_of(MemoryKind kind) {
  if (kind == MemoryKind::kManaged) return ACL_MEM_LOCATION_TYPE_MANAGED;
  return kind == MemoryKind::kHost ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
}

}  // namespace

size_t device_memory() { return once<size_t, read_device_memory>(); }

int32_t check_device_memory(const Call& call, int32_t code) {
  if (device_memory() > 0) return ACL_SUCCESS;
  return call.fail(code, "",
                   "the environment variable ACLHOST_DEVICE_MEMORY is no size; use bytes, or a "
                   "number with K, M, G or T like 1.5G");
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return allocate_device("aclrtMalloc", devPtr, size, padding_of(policy));
}

extern "C" aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return allocate_device("aclrtMallocAlign32", devPtr, size, 0);
}

extern "C" aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return allocate_device("aclrtMallocCached", devPtr, size, padding_of(policy));
}

extern "C" aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                       aclrtMallocConfig* cfg) {
  return allocate_with("aclrtMallocWithCfg", devPtr, size, policy, cfg);
}

extern "C" aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg) {
  return allocate_with("aclrtMallocForTaskScheduler", devPtr, size, policy, cfg);
}

extern "C" aclError aclrtFree(void* devPtr) {
  return acl_call("aclrtFree", [&](const Call& call) {
    if (return_to_pool(devPtr)) return ACL_SUCCESS;
    end_sharing(devPtr);
    return release_for(call, "devPtr", devPtr, MemoryKind::kDevice);
  });
}

extern "C" aclError aclrtFreeWithDevSync(void* devPtr) {
  return acl_call("aclrtFreeWithDevSync", [&](const Call& call) {
    Allocation found;
    if (devPtr != nullptr && find_allocation(devPtr, &found)) {
      streams().for_each([&](void*, Stream& stream) {
        if (stream.device() != found.device) return;
        stream.wait();
        observe([&](Observer& o) { o.joined_stream(stream.id()); });
      });
    }
    return release_for(call, "devPtr", devPtr, MemoryKind::kDevice);
  });
}

extern "C" aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return acl_call("aclrtMallocHost", [&](const Call& call) {
    return allocate_for(call, "hostPtr", hostPtr, size, 0, MemoryKind::kHost);
  });
}

extern "C" aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  return acl_call("aclrtMallocHostWithCfg", [&](const Call& call) {
    if (cfg != nullptr && cfg->numAttrs > 0 && cfg->attrs == nullptr) {
      return call.null("cfg->attrs");
    }
    return allocate_for(call, "ptr", ptr, size, 0, MemoryKind::kHost);
  });
}

extern "C" aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
  return acl_call("aclrtMemAllocManaged", [&](const Call& call) {
    if (flag != 0 && flag != ACL_RT_MEM_ATTACH_GLOBAL) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                       "is " + std::to_string(flag) + "; pass ACL_RT_MEM_ATTACH_GLOBAL (1)");
    }
    return allocate_for(call, "ptr", ptr, size, 0, MemoryKind::kManaged);
  });
}

extern "C" aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return acl_call("aclrtMemGetAddressRange", [&](const Call& call) {
    if (ptr == nullptr) return call.null("ptr");
    Allocation found;
    if (!find_allocation(ptr, &found)) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "ptr",
                       hex(ptr) + " lies in no live allocation; it may have been freed before");
    }
    if (pbase != nullptr) *pbase = reinterpret_cast<void*>(found.start);
    if (psize != nullptr) *psize = found.size;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtFreeHost(void* hostPtr) {
  return acl_call("aclrtFreeHost", [&](const Call& call) {
    return release_for(call, "hostPtr", hostPtr, MemoryKind::kHost);
  });
}

extern "C" aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return acl_call("aclrtGetMemInfo", [&](const Call& call) -> int32_t {
    if (free == nullptr) return call.null("free");
    if (total == nullptr) return call.null("total");
    const int number = static_cast<int>(attr);
    if (number < ACL_DDR_MEM || number > ACL_MEM_P2P_HUGE1G) {
      return call.fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "attr",
                       "is " + std::to_string(number) + "; it must be from 0 to 17");
    }
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    *total = is_counted(number) ? device_memory() : 0;
    *free = is_counted(number) ? device_memory() - used_device_memory(context->device()) : 0;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return acl_call("aclrtPointerGetAttributes", [&](const Call& call) {
    if (ptr == nullptr) return call.null("ptr");
    if (attributes == nullptr) return call.null("attributes");
    *attributes = {};
    Allocation found;
    if (!find_allocation(ptr, &found)) {
      attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
      return ACL_SUCCESS;
    }
    const bool host = found.kind == MemoryKind::kHost;
    attributes->location.id = host ? 0 : static_cast<uint32_t>(found.device);
    attributes->location.type = location_of(found.kind);
    return ACL_SUCCESS;
  });
}
