// SPDX-License-Identifier: Apache-2.0
// Devices that reach each other's memory: here they always do. And limits that are not enforced.
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "base/observer.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/device.h"

namespace aclhost {
namespace {

struct Peers {
  std::mutex mutex;
  std::set<std::pair<int32_t, int32_t>> enabled;  // the device, and the one it reaches
};

Immortal<Peers> peers;

// The peer has to exist and to be another device than the current one.
int32_t check_peer(const Call& call, int32_t peer) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (const int32_t code = check_device(call, peer)) return code;
  if (peer != context->device()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "peerDeviceId",
                   "is " + std::to_string(peer) + ", the current device; name another one");
}

int32_t set_peer_access(const Call& call, int32_t peer, bool on) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (const int32_t code = check_peer(call, peer)) return code;
  observe([&](Observer& o) { o.peer_access(context->device(), peer, on); });
  const std::lock_guard<std::mutex> lock(peers->mutex);
  const std::pair<int32_t, int32_t> pair{context->device(), peer};
  if (on) {
    peers->enabled.insert(pair);
  } else {
    peers->enabled.erase(pair);
  }
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,
                                             int32_t peerDeviceId) {
  return acl_call("aclrtDeviceCanAccessPeer", [&](const Call& call) {
    if (canAccessPeer == nullptr) return call.null("canAccessPeer");
    if (const int32_t code = check_device(call, deviceId)) return code;
    if (const int32_t code = check_device(call, peerDeviceId)) return code;
    *canAccessPeer = deviceId == peerDeviceId ? 0 : 1;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return acl_call("aclrtDeviceEnablePeerAccess", [&](const Call& call) {
    if (flags != 0) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "flags",
                       "is " + std::to_string(flags) + "; it must be 0");
    }
    return set_peer_access(call, peerDeviceId, true);
  });
}

extern "C" aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return acl_call("aclrtDeviceDisablePeerAccess",
                  [&](const Call& call) { return set_peer_access(call, peerDeviceId, false); });
}

extern "C" aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                                int32_t* status) {
  return acl_call("aclrtDevicePeerAccessStatus", [&](const Call& call) {
    if (status == nullptr) return call.null("status");
    if (const int32_t code = check_device(call, deviceId)) return code;
    if (const int32_t code = check_device(call, peerDeviceId)) return code;
    const std::lock_guard<std::mutex> lock(peers->mutex);
    *status = peers->enabled.count({deviceId, peerDeviceId}) != 0 ? 1 : 0;
    return ACL_SUCCESS;
  });
}

// All devices find the memory at the same address already.
extern "C" aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags) {
  return acl_call("aclrtMemP2PMap", [&](const Call& call) -> int32_t {
    if (devPtr == nullptr) return call.null("devPtr");
    if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size", "is 0");
    if (flags != 0) return call.fail(ACL_ERROR_INVALID_PARAM, "flags", "must be 0");
    if (const int32_t code = check_device(call, dstDevId)) return code;
    return check_range(call, "devPtr", devPtr, size, Access::kRead);
  });
}

// There is one kind of scheduler, as on products without vector cores of their own.
extern "C" aclError aclrtSetTsDevice(aclrtTsId tsId) {
  return acl_call("aclrtSetTsDevice", [&](const Call& call) -> int32_t {
    const int number = static_cast<int>(tsId);
    if (number == ACL_TS_ID_AICORE || number == ACL_TS_ID_AIVECTOR) return ACL_SUCCESS;
    return call.fail(
        ACL_ERROR_INVALID_PARAM, "tsId",
        "is " + std::to_string(number) + "; pass ACL_TS_ID_AICORE (0) or ACL_TS_ID_AIVECTOR (1)");
  });
}

extern "C" aclError aclrtSetOpWaitTimeout(uint32_t) {
  return acl_call("aclrtSetOpWaitTimeout", [](const Call&) { return ACL_SUCCESS; });
}
