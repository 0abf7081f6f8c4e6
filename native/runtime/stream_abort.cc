// SPDX-License-Identifier: Apache-2.0
// The C functions that end the work of streams early.
#include <chrono>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/model.h"
#include "runtime/state_callbacks.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kLongestAbort = 36 * 60 * 1000;  // upstream's limit, in milliseconds

int32_t check_stream(const Call& call, const Stream& stream) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (context->id() != stream.context_id()) {
    return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream",
                     "belongs to another context than the thread's current one");
  }
  if (model_of(stream) != nullptr) {
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "stream",
                     "is bound to a model; call aclmdlRIAbort instead");
  }
  return refuse_captured(call, stream);
}

int32_t too_slow(const Call& call, uint32_t timeout) {
  return call.fail(ACL_ERROR_RT_WAIT_TIMEOUT, "timeout",
                   "of " + std::to_string(timeout) + " ms passed before all tasks had ended");
}

// Milliseconds that are left, for queues that count so; 0 given means any time.
int32_t left_of(uint32_t timeout, Clock::time_point end) {
  if (timeout == 0) return Stream::kForever;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return left.count() < 0 ? 0 : static_cast<int32_t>(left.count());
}

int32_t abort_device(const Call& call, int32_t device, uint32_t timeout) {
  const auto end = Clock::now() + std::chrono::milliseconds(timeout);
  const auto tell = [&](aclrtDeviceTaskAbortStage stage, uint32_t left) {
    const int32_t code = tell_task_abort(device, stage, left);
    if (code == ACL_SUCCESS) return code;
    return call.fail(code, "", "a function of aclrtSetDeviceTaskAbortCallback failed");
  };
  if (const int32_t code = tell(ACL_RT_DEVICE_TASK_ABORT_PRE, timeout)) return code;
  std::vector<std::shared_ptr<TaskQueue>> queues;
  streams().for_each([&](void*, Stream& stream) {
    if (stream.device() == device) queues.push_back(stream.queue());
  });
  // All at first: the task of one stream may wait for another one.
  for (const auto& queue : queues) queue->drop(0, ACL_ERROR_RT_DEVICE_TASK_ABORT);
  for (const auto& queue : queues) {
    if (!queue->drop(left_of(timeout, end), ACL_ERROR_RT_DEVICE_TASK_ABORT)) {
      return too_slow(call, timeout);
    }
    queue->forget_failure();
  }
  const auto rest = static_cast<uint32_t>(timeout == 0 ? 0 : left_of(timeout, end));
  return tell(ACL_RT_DEVICE_TASK_ABORT_POST, rest);
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtStreamAbort(aclrtStream stream) {
  return acl_call("aclrtStreamAbort", [&](const Call& call) -> int32_t {
    const StreamRef found = find_stream(stream);
    if (!found) return stream_not_found(call, stream);
    if (const int32_t code = check_stream(call, *found)) return code;
    found->queue()->drop(Stream::kForever, ACL_ERROR_RT_STREAM_ABORT);
    return ACL_SUCCESS;
  });
}

// Tasks cannot be stopped here, but for their waits; those behind stay.
extern "C" aclError aclrtStreamStop(aclrtStream stream) {
  return acl_call("aclrtStreamStop", [&](const Call& call) -> int32_t {
    if (stream == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stream",
                       "is a null pointer; the default stream cannot be stopped");
    }
    const StreamRef found = streams().find(stream);
    if (!found) return no_stream(call, stream);
    if (const int32_t code = check_stream(call, *found)) return code;
    found->interrupt();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return acl_call("aclrtDeviceTaskAbort", [&](const Call& call) -> int32_t {
    if (timeout > kLongestAbort) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "timeout",
                       "is " + std::to_string(timeout) + "; it may be at most " +
                           std::to_string(kLongestAbort) + " ms");
    }
    if (const int32_t code = check_device(call, deviceId)) return code;
    return abort_device(call, deviceId, timeout);
  });
}
