// SPDX-License-Identifier: Apache-2.0
// What a device is like: plausible numbers of the product whose behaviour is reproduced.
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/soc.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr int32_t kLeastPriority = 7;
constexpr int32_t kGreatestPriority = 0;
constexpr int32_t kFirstBus = 0xC1;  // of the PCI ids, which count on from there

struct Hardware {
  int64_t cube_cores;
  int64_t vector_cores;
  int64_t control_cores;
  int64_t cache;
  int64_t arch;
};

Hardware hardware() {
  constexpr int64_t kMebi = int64_t{1} << 20;
  const Soc* soc = current_soc();
  switch (soc == nullptr ? Product::kA2 : soc->product) {
    case Product::kA950:
      return {36, 72, 6, 128 * kMebi, 3510};
    case Product::kP310P:
      return {8, 8, 7, 16 * kMebi, 2002};
    case Product::kT910:
      return {32, 32, 14, 32 * kMebi, 1001};
    default:
      return {24, 48, 6, 192 * kMebi, 2201};
  }
}

// False for what nothing is known about.
bool attribute(aclrtDevAttr attr, int32_t device, int64_t* value) {
  const Hardware found = hardware();
  switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      *value = found.control_cores;
      return true;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = found.cube_cores;
      return true;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = found.vector_cores;
      return true;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = static_cast<int64_t>(device_memory());
      return true;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = found.cache;
      return true;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      *value = device;
      return true;
    case ACL_DEV_ATTR_IS_VIRTUAL:
      *value = 0;
      return true;
    case ACL_DEV_ATTR_NPU_ARCH:
      *value = found.arch;
      return true;
    default:
      return false;
  }
}

// The same device under another numbering: here there is only one.
int32_t same_device(const char* name, int32_t device, int32_t* other) {
  return acl_call(name, [&](const Call& call) {
    if (other == nullptr) return call.null("the result");
    if (const int32_t code = check_device(call, device)) return code;
    *other = device;
    return ACL_SUCCESS;
  });
}

int32_t no_pci_device(const Call& call) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "pciBusId",
                   "names no device; aclrtDeviceGetPCIBusId tells what they are called");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return acl_call("aclrtGetDeviceInfo", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    const auto device = static_cast<int32_t>(deviceId);
    if (const int32_t code = check_device(call, device)) return code;
    if (attribute(attr, device, value)) return ACL_SUCCESS;
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attr",
                     std::to_string(static_cast<int>(attr)) + " is not known of this device");
  });
}

extern "C" aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,
                                                      int32_t* greatestPriority) {
  return acl_call("aclrtDeviceGetStreamPriorityRange", [&](const Call& call) {
    if (!current_context()) return no_context(call);
    if (leastPriority != nullptr) *leastPriority = kLeastPriority;
    if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return acl_call("aclrtDeviceGetUuid", [&](const Call& call) {
    if (uuid == nullptr) return call.null("uuid");
    if (const int32_t code = check_device(call, deviceId)) return code;
    *uuid = {};
    std::memcpy(uuid->bytes, "aclhost", 7);
    uuid->bytes[sizeof uuid->bytes - 1] = static_cast<char>(deviceId);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
  return acl_call("aclrtDeviceGetPCIBusId", [&](const Call& call) {
    if (pciBusId == nullptr) return call.null("pciBusId");
    if (const int32_t code = check_device(call, deviceId)) return code;
    char text[16];
    const int length = std::snprintf(text, sizeof text, "0000:%02X:00.0", kFirstBus + deviceId);
    if (len <= length) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "len",
                       "is " + std::to_string(len) + "; the id and its end take 13 characters");
    }
    std::memcpy(pciBusId, text, static_cast<size_t>(length) + 1);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
  return acl_call("aclrtDeviceGetByPCIBusId", [&](const Call& call) {
    if (pciBusId == nullptr) return call.null("pciBusId");
    if (deviceId == nullptr) return call.null("deviceId");
    unsigned int bus = 0;
    int end = 0;
    const int read = std::sscanf(pciBusId, "0000:%2x:00.0%n", &bus, &end);
    const int32_t device = static_cast<int32_t>(bus) - kFirstBus;
    const bool whole = read == 1 && end > 0 && pciBusId[end] == '\0';
    if (!whole || device < 0 || device >= device_count()) return no_pci_device(call);
    *deviceId = device;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                                  aclrtUtilizationInfo* utilizationInfo) {
  return acl_call("aclrtGetDeviceUtilizationRate", [&](const Call& call) {
    if (utilizationInfo == nullptr) return call.null("utilizationInfo");
    if (const int32_t code = check_device(call, deviceId)) return code;
    const double used = static_cast<double>(used_device_memory(deviceId));
    const double share = 100.0 * used / static_cast<double>(device_memory());
    *utilizationInfo = {0, 0, 0, static_cast<int32_t>(share), nullptr};
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
                                        uint64_t* value) {
  return acl_call("aclrtGetDevicesTopo", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_device(call, static_cast<int32_t>(deviceId))) return code;
    if (const int32_t code = check_device(call, static_cast<int32_t>(otherDeviceId))) return code;
    *value = ACL_RT_DEVS_TOPOLOGY_HCCS;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return acl_call("aclrtQueryDeviceStatus", [&](const Call& call) {
    if (deviceStatus == nullptr) return call.null("deviceStatus");
    if (const int32_t code = check_device(call, deviceId)) return code;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return acl_call("aclrtCtxGetCurrentDefaultStream", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    *stream = context->default_stream();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                                  int32_t* const logicDevId) {
  return same_device("aclrtGetLogicDevIdByUserDevId", userDevid, logicDevId);
}

extern "C" aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
                                                  int32_t* const userDevid) {
  return same_device("aclrtGetUserDevIdByLogicDevId", logicDevId, userDevid);
}

extern "C" aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
                                                 int32_t* const logicDevId) {
  return same_device("aclrtGetLogicDevIdByPhyDevId", phyDevId, logicDevId);
}

extern "C" aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
                                                 int32_t* const phyDevId) {
  return same_device("aclrtGetPhyDevIdByLogicDevId", logicDevId, phyDevId);
}

extern "C" aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
  return same_device("aclrtGetPhyDevIdByUserDevId", userDevId, phyDevId);
}

extern "C" aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
  return same_device("aclrtGetUserDevIdByPhyDevId", phyDevId, userDevId);
}
