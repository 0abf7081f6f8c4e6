// SPDX-License-Identifier: Apache-2.0
// Hints to the caches of a device: those of a processor need none, so that each is checked and then
// has been followed.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// What a descriptor holds, in memory of the program.
struct CacheDescriptor {
  void* start;
  size_t size;
};

int32_t check_bytes(const Call& call, const char* name, const void* start, size_t size) {
  if (start == nullptr) return call.null(name);
  if (!current_context()) return no_context(call);
  if (size == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "size", "is 0");
  return check_range(call, name, start, size, Access::kRead);
}

int32_t check_type(const Call& call, aclrtCmoType type, aclrtCmoType last) {
  const int number = static_cast<int>(type);
  if (number >= 0 && number <= static_cast<int>(last)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "cmoType", "is " + std::to_string(number));
}

int32_t check_stream(const Call& call, aclrtStream stream) {
  if (!current_context()) return no_context(call);
  return find_stream(stream) ? ACL_SUCCESS : no_stream(call, stream);
}

int32_t hint(const Call& call, void* src, size_t size, aclrtCmoType type, aclrtStream stream) {
  if (const int32_t code = check_type(call, type, ACL_RT_CMO_TYPE_FLUSH)) return code;
  if (const int32_t code = check_stream(call, stream)) return code;
  return check_bytes(call, "src", src, size);
}

int32_t no_barrier(const Call& call, uint32_t barrier) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "barrierId",
                   "is " + std::to_string(barrier) +
                       "; it is above 0 for ACL_RT_CMO_TYPE_INVALID and 0 for other types");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType,
                                  aclrtStream stream) {
  return acl_call("aclrtCmoAsync",
                  [&](const Call& call) { return hint(call, src, size, cmoType, stream); });
}

extern "C" aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType,
                                             uint32_t barrierId, aclrtStream stream) {
  return acl_call("aclrtCmoAsyncWithBarrier", [&](const Call& call) -> int32_t {
    if (const int32_t code = hint(call, src, size, cmoType, stream)) return code;
    const bool is_awaited = cmoType == ACL_RT_CMO_TYPE_INVALID;
    return is_awaited == (barrierId > 0) ? ACL_SUCCESS : no_barrier(call, barrierId);
  });
}

// What it waits for has happened when it was asked for.
extern "C" aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream,
                                        uint32_t flag) {
  return acl_call("aclrtCmoWaitBarrier", [&](const Call& call) -> int32_t {
    if (taskInfo == nullptr) return call.null("taskInfo");
    if (taskInfo->barrierNum == 0 || taskInfo->barrierNum > ACL_RT_CMO_MAX_BARRIER_NUM) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "taskInfo->barrierNum",
                       "is " + std::to_string(taskInfo->barrierNum) + "; it must be from 1 to " +
                           std::to_string(ACL_RT_CMO_MAX_BARRIER_NUM));
    }
    for (size_t i = 0; i < taskInfo->barrierNum; ++i) {
      const aclrtBarrierCmoInfo& each = taskInfo->cmoInfo[i];
      if (each.cmoType != ACL_RT_CMO_TYPE_INVALID || each.barrierId == 0) {
        return no_barrier(call, each.barrierId);
      }
    }
    if (flag != 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag", "must be 0");
    return check_stream(call, stream);
  });
}

extern "C" aclError aclrtCmoGetDescSize(size_t* size) {
  return acl_call("aclrtCmoGetDescSize", [&](const Call& call) {
    if (size == nullptr) return call.null("size");
    *size = sizeof(CacheDescriptor);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size) {
  return acl_call("aclrtCmoSetDesc", [&](const Call& call) -> int32_t {
    if (cmoDesc == nullptr) return call.null("cmoDesc");
    if (const int32_t code = check_bytes(call, "src", src, size)) return code;
    const CacheDescriptor descriptor{src, size};
    return copy_bytes(call, cmoDesc, sizeof descriptor, &descriptor, sizeof descriptor,
                      ACL_MEMCPY_HOST_TO_DEVICE);
  });
}

extern "C" aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
                                          const void*) {
  return acl_call("aclrtCmoAsyncWithDesc", [&](const Call& call) -> int32_t {
    if (cmoDesc == nullptr) return call.null("cmoDesc");
    if (const int32_t code = check_type(call, cmoType, ACL_RT_CMO_TYPE_PREFETCH)) return code;
    if (const int32_t code = check_stream(call, stream)) return code;
    CacheDescriptor found{};
    if (const int32_t code = copy_bytes(call, &found, sizeof found, cmoDesc, sizeof found,
                                        ACL_MEMCPY_DEVICE_TO_HOST)) {
      return code;
    }
    return check_bytes(call, "cmoDesc", found.start, found.size);
  });
}

extern "C" aclError aclrtMemFlush(void* devPtr, size_t size) {
  return acl_call("aclrtMemFlush",
                  [&](const Call& call) { return check_bytes(call, "devPtr", devPtr, size); });
}

extern "C" aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return acl_call("aclrtMemInvalidate",
                  [&](const Call& call) { return check_bytes(call, "devPtr", devPtr, size); });
}
