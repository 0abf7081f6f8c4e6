// SPDX-License-Identifier: Apache-2.0
// Calls about hardware that a CPU does without: memory that has no errors, resources that are not
// scarce.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/soc.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

constexpr uint32_t kMostEvents = 65536;
constexpr uint32_t kMostStreams = 1984;

// Looks the stream up for a body of the form `int32_t()`.
template <typename Body>
int32_t on_stream(const Call& call, aclrtStream stream, Body&& body) {
  if (!current_context()) return no_context(call);
  return find_stream(stream) ? body() : no_stream(call, stream);
}

int32_t check_inner_copy(const Call& call, aclrtMemcpyKind kind) {
  if (kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind",
                   "is " + std::to_string(static_cast<int>(kind)) +
                       "; only ACL_MEMCPY_INNER_DEVICE_TO_DEVICE is possible");
}

// What a descriptor holds, in memory of the program.
struct CopyDescriptor {
  void* source;
  void* target;
  size_t count;
};

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtDeviceL2CacheFlush(void*) {
  return acl_call("aclrtDeviceL2CacheFlush", [](const Call& call) {
    return current_context() ? ACL_SUCCESS : no_context(call);
  });
}

extern "C" aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                                       size_t arraySize, size_t* retSize) {
  return acl_call("aclrtGetMemUceInfo", [&](const Call& call) {
    if (memUceInfoArray == nullptr && arraySize > 0) return call.null("memUceInfoArray");
    if (retSize == nullptr) return call.null("retSize");
    if (const int32_t code = check_device(call, deviceId)) return code;
    *retSize = 0;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                                      size_t arraySize) {
  return acl_call("aclrtMemUceRepair", [&](const Call& call) {
    if (memUceInfoArray == nullptr && arraySize > 0) return call.null("memUceInfoArray");
    return check_device(call, deviceId);
  });
}

extern "C" aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return acl_call("aclrtGetErrorVerbose", [&](const Call& call) {
    if (errorInfo == nullptr) return call.null("errorInfo");
    if (const int32_t code = check_device(call, deviceId)) return code;
    std::memset(errorInfo, 0, sizeof *errorInfo);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo) {
  return acl_call("aclrtRepairError", [&](const Call& call) {
    return errorInfo == nullptr ? call.null("errorInfo") : check_device(call, deviceId);
  });
}

extern "C" aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return acl_call("aclrtGetEventAvailNum", [&](const Call& call) {
    if (eventCount == nullptr) return call.null("eventCount");
    const int64_t live = std::min<int64_t>(events().live(), kMostEvents);
    *eventCount = kMostEvents - static_cast<uint32_t>(live);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return acl_call("aclrtGetStreamAvailableNum", [&](const Call& call) -> int32_t {
    if (streamCount == nullptr) return call.null("streamCount");
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    *streamCount = kMostStreams - static_cast<uint32_t>(stream_count(context->device()));
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return acl_call("aclrtDeviceGetBareTgid", [&](const Call& call) {
    if (pid == nullptr) return call.null("pid");
    *pid = getpid();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
  return acl_call("aclrtCheckArchCompatibility", [&](const Call& call) {
    if (socVersion == nullptr) return call.null("socVersion");
    if (canCompatible == nullptr) return call.null("canCompatible");
    const Soc* soc = current_soc();
    const size_t shorter = soc == nullptr ? 0 : std::min(soc->name.size(), strlen(socVersion));
    *canCompatible = shorter > 0 && soc->name.compare(0, shorter, socVersion, shorter) == 0;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                             int32_t* value) {
  return acl_call("aclrtGetDeviceCapability", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_device(call, deviceId)) return code;
    *value = devFeatureType == ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV
                 ? ACL_DEV_FEATURE_SUPPORT
                 : ACL_DEV_FEATURE_NOT_SUPPORT;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return acl_call("aclrtFreeHostWithDevSync", [&](const Call&) -> int32_t {
    if (const int32_t code = aclrtSynchronizeDevice()) return code;
    return aclrtFreeHost(hostPtr);
  });
}

extern "C" aclError aclrtPersistentTaskClean(aclrtStream stream) {
  return acl_call("aclrtPersistentTaskClean", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    return on_stream(call, stream, [] { return ACL_SUCCESS; });
  });
}

extern "C" aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset,
                                               const void** src, size_t count, size_t srcDataOffset,
                                               aclrtMemcpyKind kind, aclrtStream stream) {
  return acl_call("aclrtMemcpyAsyncWithOffset", [&](const Call& call) -> int32_t {
    if (dst == nullptr || *dst == nullptr) return call.null("dst");
    if (src == nullptr || *src == nullptr) return call.null("src");
    if (const int32_t code = check_inner_copy(call, kind)) return code;
    if (dstDataOffset > destMax) return too_many(call, "destMax", destMax, dstDataOffset);
    return queue_copy_bytes(call, static_cast<char*>(*dst) + dstDataOffset, destMax - dstDataOffset,
                            static_cast<const char*>(*src) + srcDataOffset, count,
                            ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
  });
}

extern "C" aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return acl_call("aclrtGetMemcpyDescSize", [&](const Call& call) {
    if (descSize == nullptr) return call.null("descSize");
    if (const int32_t code = check_inner_copy(call, kind)) return code;
    *descSize = sizeof(CopyDescriptor);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr,
                                       void* dstAddr, size_t count, void* config) {
  return acl_call("aclrtSetMemcpyDesc", [&](const Call& call) -> int32_t {
    if (desc == nullptr) return call.null("desc");
    if (srcAddr == nullptr) return call.null("srcAddr");
    if (dstAddr == nullptr) return call.null("dstAddr");
    if (const int32_t code = check_inner_copy(call, kind)) return code;
    if (config != nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "config", "is reserved and must be null");
    }
    const CopyDescriptor descriptor{srcAddr, dstAddr, count};
    return copy_bytes(call, desc, sizeof descriptor, &descriptor, sizeof descriptor,
                      ACL_MEMCPY_HOST_TO_DEVICE);
  });
}

extern "C" aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return acl_call("aclrtMemcpyAsyncWithDesc", [&](const Call& call) -> int32_t {
    if (desc == nullptr) return call.null("desc");
    if (const int32_t code = check_inner_copy(call, kind)) return code;
    CopyDescriptor found{};
    if (const int32_t code =
            copy_bytes(call, &found, sizeof found, desc, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST)) {
      return code;
    }
    return queue_copy_bytes(call, found.target, found.count, found.source, found.count,
                            ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
  });
}
