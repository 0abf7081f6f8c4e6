// SPDX-License-Identifier: Apache-2.0
#include "runtime/device.h"

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/fork.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/state_callbacks.h"

namespace aclhost {
namespace {

struct Device {
  std::mutex mutex;
  int64_t users = 0;               // calls of aclrtSetDevice that no reset has taken back
  aclrtContext primary = nullptr;  // exists while there are users
  std::atomic<int32_t> streams{0};
};

int64_t physical_devices() {
  const char* text = std::getenv("ACLHOST_DEVICES");
  if (text == nullptr) return 1;
  char* end = nullptr;
  const int64_t count = std::strtoll(text, &end, 10);
  const bool good = end != text && *end == '\0' && count >= 1 && count <= kMaxDevices;
  return good ? count : 1;
}

// A comma-separated list of ids; whatever follows the first bad one does not count.
int32_t visible_devices(const char* text, int64_t physical) {
  std::set<int64_t> seen;
  while (true) {
    char* end = nullptr;
    const int64_t id = std::strtoll(text, &end, 10);
    const bool good = end != text && (*end == ',' || *end == '\0') && id >= 0 && id < physical;
    if (!good || !seen.insert(id).second) break;
    if (*end == '\0') break;
    text = end + 1;
  }
  return static_cast<int32_t>(seen.size());
}

int32_t read_device_count() {
  const int64_t physical = physical_devices();
  const char* visible = std::getenv("ASCEND_RT_VISIBLE_DEVICES");
  return visible == nullptr ? static_cast<int32_t>(physical) : visible_devices(visible, physical);
}

__constinit Device devices[kMaxDevices];

Device& device_at(int32_t id) { return devices[id]; }

int32_t set(const Call& call, int32_t id) {
  forbid_fork();  // from here on, locks may be closed in a child
  Device& device = device_at(id);
  std::lock_guard<std::mutex> lock(device.mutex);
  if (device.users == 0) device.primary = contexts().create(id, true);
  if (device.primary == nullptr) return no_more_contexts(call);
  ++device.users;
  bind_primary_context(device.primary);
  return ACL_SUCCESS;
}

int32_t reset(const Call& call, int32_t id, bool force) {
  Device& device = device_at(id);
  ContextRef unused;
  {
    std::lock_guard<std::mutex> lock(device.mutex);
    if (device.users == 0) {
      return call.fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "deviceId",
                       std::to_string(id) +
                           " is not set; call aclrtSetDevice before, and reset no "
                           "more often than it was set");
    }
    device.users = force ? 0 : device.users - 1;
    if (device.users > 0) return ACL_SUCCESS;
    unused = contexts().find(device.primary);
    contexts().destroy(std::exchange(device.primary, nullptr));
  }
  unused->close(force);
  return ACL_SUCCESS;
}

int32_t reset_and_tell(const Call& call, int32_t id, bool force) {
  if (const int32_t code = check_device(call, id)) return code;
  tell_device_state(id, ACL_RT_DEVICE_STATE_RESET_PRE);
  if (const int32_t code = reset(call, id, force)) return code;
  tell_device_state(id, ACL_RT_DEVICE_STATE_RESET_POST);
  return ACL_SUCCESS;
}

}  // namespace

int32_t device_count() { return once<int32_t, read_device_count>(); }

int32_t check_device(const Call& call, int32_t device) {
  if (device >= 0 && device < device_count()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId",
                   "is " + std::to_string(device) + " but there are " +
                       std::to_string(device_count()) +
                       " device(s), counted from 0; ACLHOST_DEVICES sets how many there are and "
                       "ASCEND_RT_VISIBLE_DEVICES hides some");
}

std::atomic<int32_t>& stream_count(int32_t device) { return device_at(device).streams; }

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSetDevice(int32_t deviceId) {
  return acl_call("aclrtSetDevice", [&](const Call& call) {
    if (const int32_t code = check_device(call, deviceId)) return code;
    if (const int32_t code = check_device_memory(call, ACL_ERROR_RT_DEV_SETUP_ERROR)) return code;
    tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
    if (const int32_t code = set(call, deviceId)) return code;
    tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtResetDevice(int32_t deviceId) {
  return acl_call("aclrtResetDevice",
                  [&](const Call& call) { return reset_and_tell(call, deviceId, false); });
}

extern "C" aclError aclrtResetDeviceForce(int32_t deviceId) {
  return acl_call("aclrtResetDeviceForce",
                  [&](const Call& call) { return reset_and_tell(call, deviceId, true); });
}

extern "C" aclError aclrtGetDevice(int32_t* deviceId) {
  return acl_call("aclrtGetDevice", [&](const Call& call) -> int32_t {
    if (deviceId == nullptr) return call.null("deviceId");
    const ContextRef context = current_context();
    // Clients probe with this call, so upstream leaves no text here.
    if (!context) return ACL_ERROR_RT_CONTEXT_NULL;
    *deviceId = context->device();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDeviceCount(uint32_t* count) {
  return acl_call("aclrtGetDeviceCount", [&](const Call& call) {
    if (count == nullptr) return call.null("count");
    *count = static_cast<uint32_t>(device_count());
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return acl_call("aclrtGetPrimaryCtxState", [&](const Call& call) {
    if (const int32_t code = check_device(call, deviceId)) return code;
    Device& device = device_at(deviceId);
    std::lock_guard<std::mutex> lock(device.mutex);
    if (flags != nullptr) *flags = 0;
    if (active != nullptr) *active = device.users > 0 ? 1 : 0;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return acl_call("aclrtGetRunMode", [&](const Call& call) {
    if (runMode == nullptr) return call.null("runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
  });
}
