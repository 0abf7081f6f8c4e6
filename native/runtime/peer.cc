// SPDX-License-Identifier: Apache-2.0
// Devices that reach each other's memory: here they always do. And limits that are not enforced.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/observer.h"
#include "runtime/context.h"
#include "runtime/device.h"

namespace aclhost {
namespace {

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

extern "C" aclError aclrtSetOpWaitTimeout(uint32_t) {
  return acl_call("aclrtSetOpWaitTimeout", [](const Call&) { return ACL_SUCCESS; });
}
