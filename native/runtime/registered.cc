// SPDX-License-Identifier: Apache-2.0
#include "runtime/registered.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr uint32_t kFlags =
    ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;

struct Registered {
  std::mutex mutex;
  std::map<uintptr_t, uint64_t> sizes;  // by start

  // The range that holds an address.
  std::map<uintptr_t, uint64_t>::iterator at(uintptr_t address) {
    auto after = sizes.upper_bound(address);
    if (after == sizes.begin()) return sizes.end();
    --after;
    return address - after->first < after->second ? after : sizes.end();
  }
  bool overlaps(uintptr_t start, uint64_t size) {
    if (at(start) != sizes.end()) return true;
    const auto next = sizes.lower_bound(start);
    return next != sizes.end() && next->first - start < size;
  }
};

Immortal<Registered> all_registered;

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

int32_t add(const Call& call, const void* pointer, uint64_t size) {
  if (pointer == nullptr) return call.null("ptr");
  if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size", "is 0; register some bytes");
  if (!current_context()) return no_context(call);
  if (const int32_t code = check_range(call, "ptr", pointer, size, Access::kRead)) return code;
  Registered& all = *all_registered;
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.overlaps(number(pointer), size)) {
    return call.fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "ptr",
                     hex(pointer) + ": some of this memory is registered; unregister it first");
  }
  all.sizes[number(pointer)] = size;
  return ACL_SUCCESS;
}

int32_t not_registered(const Call& call, const char* parameter, const void* pointer) {
  return call.fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, parameter,
                   hex(pointer) + " is not registered; call aclrtHostRegister first");
}

int32_t remove(const Call& call, const void* pointer) {
  if (pointer == nullptr) return call.null("ptr");
  Registered& all = *all_registered;
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.sizes.erase(number(pointer)) == 0) return not_registered(call, "ptr", pointer);
  return ACL_SUCCESS;
}

// Devices see host memory under the program's own addresses.
int32_t device_address(const Call& call, void* host, void** device) {
  if (host == nullptr) return call.null("pHost");
  if (device == nullptr) return call.null("pDevice");
  Allocation pinned;
  const bool known = find_allocation(host, &pinned) && pinned.kind == MemoryKind::kHost;
  if (!known && !is_registered(host)) return not_registered(call, "pHost", host);
  *device = host;
  return ACL_SUCCESS;
}

}  // namespace

bool is_registered(const void* pointer) {
  Registered& all = *all_registered;
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.at(number(pointer)) != all.sizes.end();
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,
                                      void** devPtr) {
  return acl_call("aclrtHostRegister", [&](const Call& call) {
    if (devPtr == nullptr) return call.null("devPtr");
    const int kind = static_cast<int>(type);
    if (kind != ACL_HOST_REGISTER_MAPPED && kind != ACL_HOST_REGISTER_IOMEMORY &&
        kind != ACL_HOST_REGISTER_READONLY) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "type",
                       "is " + std::to_string(kind) + "; it must be 0, 4 or 8");
    }
    if (const int32_t code = add(call, ptr, size)) return code;
    *devPtr = ptr;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return acl_call("aclrtHostRegisterV2", [&](const Call& call) {
    if ((flag & ~kFlags) != 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                       "is " + std::to_string(flag) + "; combine the flags ACL_HOST_REG_*");
    }
    return add(call, ptr, size);
  });
}

extern "C" aclError aclrtHostUnregister(void* ptr) {
  return acl_call("aclrtHostUnregister", [&](const Call& call) { return remove(call, ptr); });
}

extern "C" aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return acl_call("aclrtHostGetDevicePointer", [&](const Call& call) {
    if (flag != 0) return call.fail(ACL_ERROR_INVALID_PARAM, "flag", "is not 0, as it must be");
    return device_address(call, pHost, pDevice);
  });
}

extern "C" aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                aclrtHostMemMapCapability* capabilities) {
  return acl_call("aclrtHostMemMapCapabilities", [&](const Call& call) {
    if (capabilities == nullptr) return call.null("capabilities");
    if (const int32_t code = check_device(call, static_cast<int32_t>(deviceId))) return code;
    const int unit = static_cast<int>(hacType);
    if (unit < ACL_RT_HAC_TYPE_STARS || unit > ACL_RT_HAC_TYPE_CCU) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "hacType",
                       "is " + std::to_string(unit) + "; it must be from 0 to 9");
    }
    *capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
    return ACL_SUCCESS;
  });
}
