// SPDX-License-Identifier: Apache-2.0
// Limits of cores, of devices and of streams. They are kept and given back; results do not depend
// on how many cores there are.
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/stream_options.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

constexpr int kTypes = 2;  // members of aclrtDevResLimitType

using Limits = std::map<std::pair<int32_t, int>, uint32_t>;  // by device or stream, and type

struct Kept {
  std::mutex mutex;
  Limits devices;
  Limits streams;
};

Immortal<Kept> kept;
thread_local int32_t limiting_stream = -1;

void forget(Limits& limits, int32_t id) {
  const std::lock_guard<std::mutex> lock(kept->mutex);
  for (int type = 0; type < kTypes; ++type) limits.erase({id, type});
}

int32_t check_type(const Call& call, aclrtDevResLimitType type) {
  const int number = static_cast<int>(type);
  if (number >= 0 && number < kTypes) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "type",
                   "is " + std::to_string(number) +
                       "; pass ACL_RT_DEV_RES_CUBE_CORE (0) or ACL_RT_DEV_RES_VECTOR_CORE (1)");
}

// Of the product whose behaviour is reproduced.
uint32_t cores(int32_t device, aclrtDevResLimitType type) {
  int64_t value = 0;
  const aclrtDevAttr attribute =
      type == ACL_RT_DEV_RES_CUBE_CORE ? ACL_DEV_ATTR_CUBE_CORE_NUM : ACL_DEV_ATTR_VECTOR_CORE_NUM;
  static_cast<void>(aclrtGetDeviceInfo(static_cast<uint32_t>(device), attribute, &value));
  return static_cast<uint32_t>(value);
}

int32_t check_limit(const Call& call, int32_t device, aclrtDevResLimitType type, uint32_t value) {
  if (const int32_t code = check_type(call, type)) return code;
  if (value > 0 && value <= cores(device, type)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "value",
                   "is " + std::to_string(value) + "; the device has " +
                       std::to_string(cores(device, type)) + " of these cores");
}

uint32_t device_limit(int32_t device, aclrtDevResLimitType type) {
  {
    const std::lock_guard<std::mutex> lock(kept->mutex);
    const auto found = kept->devices.find({device, type});
    if (found != kept->devices.end()) return found->second;
  }
  return cores(device, type);
}

uint32_t stream_limit(int32_t stream, int32_t device, aclrtDevResLimitType type) {
  {
    const std::lock_guard<std::mutex> lock(kept->mutex);
    const auto found = kept->streams.find({stream, type});
    if (found != kept->streams.end()) return found->second;
  }
  return device_limit(device, type);
}

}  // namespace

void forget_limits(int32_t stream) { forget(kept->streams, stream); }

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                           uint32_t value) {
  return acl_call("aclrtSetDeviceResLimit", [&](const Call& call) {
    if (const int32_t code = check_device(call, deviceId)) return code;
    if (const int32_t code = check_limit(call, deviceId, type, value)) return code;
    const std::lock_guard<std::mutex> lock(kept->mutex);
    kept->devices[{deviceId, type}] = value;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                           uint32_t* value) {
  return acl_call("aclrtGetDeviceResLimit", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_device(call, deviceId)) return code;
    if (const int32_t code = check_type(call, type)) return code;
    *value = device_limit(deviceId, type);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return acl_call("aclrtResetDeviceResLimit", [&](const Call& call) {
    if (const int32_t code = check_device(call, deviceId)) return code;
    forget(kept->devices, deviceId);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                           uint32_t value) {
  return with_stream_in_context(
      "aclrtSetStreamResLimit", stream, [&](const Call& call, Stream& found) {
        if (const int32_t code = check_limit(call, found.device(), type, value)) return code;
        const std::lock_guard<std::mutex> lock(kept->mutex);
        kept->streams[{found.id(), type}] = value;
        return ACL_SUCCESS;
      });
}

extern "C" aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                           uint32_t* value) {
  return with_stream_in_context("aclrtGetStreamResLimit", stream,
                                [&](const Call& call, Stream& found) {
                                  if (value == nullptr) return call.null("value");
                                  if (const int32_t code = check_type(call, type)) return code;
                                  *value = stream_limit(found.id(), found.device(), type);
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return with_stream_in_context("aclrtResetStreamResLimit", stream,
                                [&](const Call&, Stream& found) {
                                  forget_limits(found.id());
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return with_stream_in_context("aclrtUseStreamResInCurrentThread", stream,
                                [&](const Call&, Stream& found) {
                                  limiting_stream = found.id();
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return with_stream_in_context("aclrtUnuseStreamResInCurrentThread", stream,
                                [&](const Call&, const Stream& found) {
                                  if (limiting_stream == found.id()) limiting_stream = -1;
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return acl_call("aclrtGetResInCurrentThread", [&](const Call& call) -> int32_t {
    if (value == nullptr) return call.null("value");
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    if (const int32_t code = check_type(call, type)) return code;
    *value = stream_limit(limiting_stream, context->device(), type);
    return ACL_SUCCESS;
  });
}
