// SPDX-License-Identifier: Apache-2.0
// Overflow detection and the time that operators may take. Kernels compute infinities and NaN as
// IEEE does, so that nothing ever counts as overflown; limits of time are kept and not enforced.
#include <algorithm>
#include <atomic>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

constexpr uint64_t kStatusBytes = 64;
constexpr uint64_t kDefaultTimeout = 1091000000;  // microseconds
constexpr uint64_t kInterval = kDefaultTimeout / 254;
constexpr uint64_t kLongest = kInterval * 254;

std::atomic<int> modes[kMaxDevices];  // 0: as after the start
std::atomic<uint64_t> timeout{kDefaultTimeout};

int32_t write_status(const Call& call, void* output, uint64_t size, aclrtStream stream) {
  if (output == nullptr) return call.null("outputAddr");
  if (size != kStatusBytes) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "outputSize",
                     "is " + std::to_string(size) + "; it must be 64");
  }
  return aclrtMemsetAsync(output, kStatusBytes, 0, kStatusBytes, stream);
}

int32_t check_stream(const Call& call, aclrtStream stream) {
  if (!current_context()) return no_context(call);
  return find_stream(stream) ? ACL_SUCCESS : no_stream(call, stream);
}

// What the hardware would make of it: whole intervals, at most 254.
uint64_t effective(uint64_t microseconds) {
  if (microseconds == 0) return kLongest;
  const uint64_t intervals = (microseconds - 1) / kInterval + 1;
  return kInterval * std::min<uint64_t>(intervals, 254);
}

int32_t set_timeout(uint64_t microseconds) {
  timeout = effective(microseconds);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return acl_call("aclrtSetDeviceSatMode", [&](const Call& call) -> int32_t {
    const int number = static_cast<int>(mode);
    if (number < 0 || number >= ACL_RT_OVERFLOW_MODE_UNDEF) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "mode",
                       "is " + std::to_string(number) +
                           "; pass ACL_RT_OVERFLOW_MODE_SATURATION (0) or INFNAN (1)");
    }
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    modes[context->device()] = number + 1;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return acl_call("aclrtGetDeviceSatMode", [&](const Call& call) -> int32_t {
    if (mode == nullptr) return call.null("mode");
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    const int number = modes[context->device()];
    *mode =
        number == 0 ? ACL_RT_OVERFLOW_MODE_INFNAN : static_cast<aclrtFloatOverflowMode>(number - 1);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize,
                                           aclrtStream stream) {
  return acl_call("aclrtGetOverflowStatus", [&](const Call& call) {
    return write_status(call, outputAddr, outputSize, stream);
  });
}

extern "C" aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize,
                                                aclrtStream stream) {
  return acl_call("aclrtGetFloatOverflowStatus", [&](const Call& call) {
    return write_status(call, outputAddr, outputSize, stream);
  });
}

extern "C" aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t,
                                                   aclrtStream stream) {
  return acl_call("aclrtNpuGetFloatOverFlowStatus", [&](const Call& call) {
    return write_status(call, outputAddr, outputSize, stream);
  });
}

extern "C" aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return acl_call("aclrtResetOverflowStatus",
                  [&](const Call& call) { return check_stream(call, stream); });
}

extern "C" aclError aclrtResetFloatOverflowStatus(aclrtStream stream) {
  return acl_call("aclrtResetFloatOverflowStatus",
                  [&](const Call& call) { return check_stream(call, stream); });
}

extern "C" aclError aclrtNpuClearFloatOverFlowStatus(uint32_t, aclrtStream stream) {
  return acl_call("aclrtNpuClearFloatOverFlowStatus",
                  [&](const Call& call) { return check_stream(call, stream); });
}

extern "C" aclError aclrtSetOpExecuteTimeOut(uint32_t seconds) {
  return acl_call("aclrtSetOpExecuteTimeOut",
                  [&](const Call&) { return set_timeout(uint64_t{seconds} * 1000000); });
}

extern "C" aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t milliseconds) {
  return acl_call("aclrtSetOpExecuteTimeOutWithMs",
                  [&](const Call&) { return set_timeout(uint64_t{milliseconds} * 1000); });
}

extern "C" aclError aclrtSetOpExecuteTimeOutV2(uint64_t microseconds, uint64_t* actualTimeout) {
  return acl_call("aclrtSetOpExecuteTimeOutV2", [&](const Call& call) {
    if (actualTimeout == nullptr) return call.null("actualTimeout");
    *actualTimeout = effective(microseconds);
    return set_timeout(microseconds);
  });
}

extern "C" aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  return acl_call("aclrtGetOpExecuteTimeout", [&](const Call& call) {
    if (timeoutMs == nullptr) return call.null("timeoutMs");
    *timeoutMs = static_cast<uint32_t>(timeout / 1000);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  return acl_call("aclrtGetOpTimeOutInterval", [&](const Call& call) {
    if (interval == nullptr) return call.null("interval");
    *interval = kInterval;
    return ACL_SUCCESS;
  });
}
