// SPDX-License-Identifier: Apache-2.0
// What device memory is and who uses how much of it.
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr uint32_t kAllTypes = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;

// There is no memory of other kinds.
bool is_device_memory(const void* address) {
  Allocation found;
  return find_allocation(address, &found) && found.kind != MemoryKind::kHost;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType,
                                      uint32_t* checkResult, uint32_t reserve) {
  return acl_call("aclrtCheckMemType", [&](const Call& call) -> int32_t {
    if (addrList == nullptr) return call.null("addrList");
    if (checkResult == nullptr) return call.null("checkResult");
    *checkResult = 0;
    if (reserve != 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "reserve", "must be 0");
    if (size == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "size", "is 0");
    if ((memType & ~kAllTypes) != 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "memType",
                       "is " + std::to_string(memType) + ", which has bits of no type");
    }
    if (!current_context()) return no_context(call);
    bool fits = (memType & ACL_RT_MEM_TYPE_DEV) != 0;
    for (uint32_t i = 0; i < size; ++i) fits = fits && is_device_memory(addrList[i]);
    *checkResult = fits ? 1 : 0;
    return ACL_SUCCESS;
  });
}

// All memory is the program's own.
extern "C" aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo,
                                         size_t inputNum, size_t* outputNum) {
  return acl_call("aclrtGetMemUsageInfo", [&](const Call& call) -> int32_t {
    if (memUsageInfo == nullptr) return call.null("memUsageInfo");
    if (outputNum == nullptr) return call.null("outputNum");
    *outputNum = 0;
    if (inputNum == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "inputNum", "is 0");
    if (const int32_t code = check_device(call, deviceId)) return code;
    memUsageInfo[0] = {};
    std::strcpy(memUsageInfo[0].name, "APP");
    memUsageInfo[0].curMemSize = used_device_memory(deviceId);
    memUsageInfo[0].memPeakSize = peak_device_memory(deviceId);
    *outputNum = 1;
    return ACL_SUCCESS;
  });
}
