// SPDX-License-Identifier: Apache-2.0
// Streams from config handles, attributes of streams, and limits of cores. They are kept and given
// back; threads of a CPU know no priorities, and results do not depend on how many cores there are.
#include "runtime/stream_options.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/handle_table.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

constexpr uint32_t kLowestPriority = 7;
constexpr int kLimits = 2;  // members of aclrtDevResLimitType

struct Attributes {
  uint64_t values[ACL_STREAM_ATTR_PRIORITY + 1] = {};
  std::map<int, uint32_t> limits;  // by type
};

struct Kept {
  std::mutex mutex;
  std::map<int32_t, Attributes> streams;                // by id
  std::map<std::pair<int32_t, int>, uint32_t> devices;  // limits by device and type
};

Immortal<Kept> kept;
Immortal<HandleTable<aclrtStreamConfigHandle, 7>> configs;
thread_local int32_t limiting_stream = -1;

int32_t no_config(const Call& call, const void* handle) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "handle",
                   hex(handle) + " is not a handle of aclrtCreateStreamConfigHandle");
}

int32_t bad_number(const Call& call, const char* name, uint64_t value, uint64_t most) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, name,
                   "is " + std::to_string(value) + "; it may be at most " + std::to_string(most));
}

int32_t check_type(const Call& call, aclrtDevResLimitType type) {
  const int number = static_cast<int>(type);
  if (number >= 0 && number < kLimits) return ACL_SUCCESS;
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
    const auto found = kept->streams.find(stream);
    if (found != kept->streams.end()) {
      const auto limit = found->second.limits.find(type);
      if (limit != found->second.limits.end()) return limit->second;
    }
  }
  return device_limit(device, type);
}

// Looks the stream up, null for the default one, for a body `int32_t(const Call&, Stream&)`.
template <typename Body>
int32_t with_stream(const char* name, aclrtStream stream, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (!current_context()) return no_context(call);
    const StreamRef found = find_stream(stream);
    return found ? body(call, *found) : no_stream(call, stream);
  });
}

int32_t check_attribute(const Call& call, aclrtStreamAttr attr) {
  const int number = static_cast<int>(attr);
  if (number >= ACL_STREAM_ATTR_FAILURE_MODE && number <= ACL_STREAM_ATTR_PRIORITY) {
    return ACL_SUCCESS;
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stmAttrType",
                   "is " + std::to_string(number) + "; attributes are 1 to 5");
}

uint64_t most_of(aclrtStreamAttr attr) {
  if (attr == ACL_STREAM_ATTR_USER_CUSTOM_TAG) return UINT32_MAX;
  return attr == ACL_STREAM_ATTR_PRIORITY ? kLowestPriority : 1;
}

void keep(int32_t stream, aclrtStreamAttr attr, uint64_t value) {
  const std::lock_guard<std::mutex> lock(kept->mutex);
  kept->streams[stream].values[attr] = value;
}

int32_t set_attribute(const Call& call, Stream& stream, bool is_default, aclrtStreamAttr attr,
                      uint64_t value) {
  if (value > most_of(attr)) return bad_number(call, "value", value, most_of(attr));
  if (attr == ACL_STREAM_ATTR_FAILURE_MODE) {
    if (is_default) return call.null("stream");  // the default stream has no mode upstream
    stream.stop_on_failure(value == ACL_STOP_ON_FAILURE);
  }
  keep(stream.id(), attr, value);
  return ACL_SUCCESS;
}

uint64_t attribute(const Stream& stream, aclrtStreamAttr attr) {
  const std::lock_guard<std::mutex> lock(kept->mutex);
  const auto found = kept->streams.find(stream.id());
  if (found != kept->streams.end()) return found->second.values[attr];
  return attr == ACL_STREAM_ATTR_PRIORITY ? stream.config().priority : 0;
}

int32_t set_option(const Call& call, aclrtStreamConfigHandle& config, aclrtStreamConfigAttr attr,
                   const void* value, size_t size) {
  const struct {
    void* place;
    size_t size;
  } fields[] = {{&config.workptr, sizeof config.workptr},
                {&config.workSize, sizeof config.workSize},
                {&config.flag, sizeof config.flag},
                {&config.priority, sizeof config.priority}};
  const int number = static_cast<int>(attr);
  if (number < 0 || number > ACL_RT_STREAM_PRIORITY) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "attr",
                     "is " + std::to_string(number) + "; options are 0 to 3");
  }
  if (size != fields[number].size) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "valueSize",
                     "is " + std::to_string(size) + "; this option has " +
                         std::to_string(fields[number].size) + " bytes");
  }
  std::memcpy(fields[number].place, value, size);
  return ACL_SUCCESS;
}

}  // namespace

void forget_stream(int32_t stream) {
  forget_recorder(stream);
  forget_allocator(stream);
  const std::lock_guard<std::mutex> lock(kept->mutex);
  kept->streams.erase(stream);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  void* handle = nullptr;
  static_cast<void>(acl_call("aclrtCreateStreamConfigHandle", [&](const Call&) {
    handle = configs->add(std::make_shared<aclrtStreamConfigHandle>());
    return ACL_SUCCESS;
  }));
  return static_cast<aclrtStreamConfigHandle*>(handle);
}

extern "C" aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return acl_call("aclrtDestroyStreamConfigHandle", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return configs->remove(handle) ? ACL_SUCCESS : no_config(call, handle);
  });
}

extern "C" aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,
                                            aclrtStreamConfigAttr attr, const void* attrValue,
                                            size_t valueSize) {
  return acl_call("aclrtSetStreamConfigOpt", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    if (attrValue == nullptr) return call.null("attrValue");
    const auto found = configs->find(handle);
    if (found == nullptr) return no_config(call, handle);
    return set_option(call, *found, attr, attrValue, valueSize);
  });
}

extern "C" aclError aclrtCreateStreamV2(aclrtStream* stream,
                                        const aclrtStreamConfigHandle* handle) {
  return acl_call("aclrtCreateStreamV2", [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("stream");
    if (handle == nullptr) return call.null("handle");
    const auto found = configs->find(handle);
    if (found == nullptr) return no_config(call, handle);
    return aclrtCreateStreamWithConfig(stream, found->priority, static_cast<uint32_t>(found->flag));
  });
}

extern "C" aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return with_stream("aclrtSetStreamAttribute", stream, [&](const Call& call, Stream& found) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_attribute(call, stmAttrType)) return code;
    const uint64_t number =
        stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE ? value->failureMode : value->overflowSwitch;
    return set_attribute(call, found, stream == nullptr, stmAttrType, number);
  });
}

extern "C" aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return with_stream("aclrtGetStreamAttribute", stream, [&](const Call& call, Stream& found) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_attribute(call, stmAttrType)) return code;
    std::memset(value, 0, sizeof *value);
    value->failureMode = attribute(found, stmAttrType);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return with_stream("aclrtSetStreamOverflowSwitch", stream, [&](const Call& call, Stream& found) {
    return set_attribute(call, found, false, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, flag);
  });
}

extern "C" aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return with_stream("aclrtGetStreamOverflowSwitch", stream, [&](const Call& call, Stream& found) {
    if (flag == nullptr) return call.null("flag");
    *flag = static_cast<uint32_t>(attribute(found, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK));
    return ACL_SUCCESS;
  });
}

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
    const std::lock_guard<std::mutex> lock(kept->mutex);
    for (int type = 0; type < kLimits; ++type) kept->devices.erase({deviceId, type});
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                           uint32_t value) {
  return with_stream("aclrtSetStreamResLimit", stream, [&](const Call& call, Stream& found) {
    if (const int32_t code = check_limit(call, found.device(), type, value)) return code;
    const std::lock_guard<std::mutex> lock(kept->mutex);
    kept->streams[found.id()].limits[type] = value;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                           uint32_t* value) {
  return with_stream("aclrtGetStreamResLimit", stream, [&](const Call& call, Stream& found) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_type(call, type)) return code;
    *value = stream_limit(found.id(), found.device(), type);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return with_stream("aclrtResetStreamResLimit", stream, [&](const Call&, Stream& found) {
    const std::lock_guard<std::mutex> lock(kept->mutex);
    const auto options = kept->streams.find(found.id());
    if (options != kept->streams.end()) options->second.limits.clear();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return with_stream("aclrtUseStreamResInCurrentThread", stream, [&](const Call&, Stream& found) {
    limiting_stream = found.id();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return with_stream("aclrtUnuseStreamResInCurrentThread", stream,
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
