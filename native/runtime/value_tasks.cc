// SPDX-License-Identifier: Apache-2.0
#include "runtime/value_tasks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

// Observers see no memory: what orders streams is no race.
struct ValueTask {
  void* address;
  uint64_t value;
  uint32_t flag;
  bool waits;
  uint64_t asked;

  bool is_over(uint64_t now) const {
    switch (flag) {
      case ACL_STREAM_WAIT_VALUE_GEQ:
        return static_cast<int64_t>(now - value) >= 0;
      case ACL_STREAM_WAIT_VALUE_EQ:
        return now == value;
      case ACL_STREAM_WAIT_VALUE_AND:
        return (now & value) != 0;
      default:
        return ~(now | value) != 0;
    }
  }

  // Whoever writes the value, kernels and copies included, does not say so: it has to be looked at
  // again and again.
  void wait(const uint64_t* place) const {
    constexpr std::chrono::microseconds kLongest(200);
    std::chrono::microseconds pause(1);
    while (!is_over(__atomic_load_n(place, __ATOMIC_ACQUIRE)) && !TaskQueue::is_dropped_here()) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongest);
    }
  }

  Status operator()() const {
    const Access access = waits ? Access::kRead : Access::kWrite;
    if (!is_accessible(address, sizeof value, access, asked)) {
      return Status::failed({ACL_ERROR_RT_AICORE_EXCEPTION, "devAddr", "device_memory",
                             std::string(waits ? "aclrtValueWait" : "aclrtValueWrite") +
                                 ": the memory at " + hex(address) + " was freed"});
    }
    auto* place = static_cast<uint64_t*>(reachable(address));
    if (waits) {
      wait(place);
    } else {
      __atomic_store_n(place, value, __ATOMIC_RELEASE);
    }
    return {};
  }
  bool touches(const MemoryRange& range) const {
    return range.overlaps(MemoryRange::of(address, sizeof value));
  }
};

int32_t check_task(const Call& call, const ValueTask& task) {
  if (task.address == nullptr) return call.null("devAddr");
  if (reinterpret_cast<uintptr_t>(task.address) % sizeof task.value != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "devAddr",
                     hex(task.address) + " is not a multiple of 8");
  }
  const uint32_t most = task.waits ? ACL_STREAM_WAIT_VALUE_NOR : 0;
  if (task.flag > most) {
    return call.fail(
        ACL_ERROR_RT_PARAM_INVALID, "flag",
        "is " + std::to_string(task.flag) + "; it may be at most " + std::to_string(most));
  }
  return check_range(call, "devAddr", task.address, sizeof task.value,
                     task.waits ? Access::kRead : Access::kWrite);
}

TaskKind kind_of(const ValueTask& task) {
  return task.waits ? TaskKind::kValueWait : TaskKind::kValueWrite;
}

Weight weight_of(const ValueTask& task) { return task.waits ? Weight::kWaiting : Weight::kSmall; }

int32_t queue(const Call& call, const ValueTask& task, aclrtStream stream) {
  const MemoryUse use;
  if (!current_context()) return no_context(call);
  if (const int32_t code = check_task(call, task)) return code;
  const StreamRef found = find_stream(stream);
  if (!found) return no_stream(call, stream);
  const auto describe = [&] { return Work{call.name, {}, std::to_string(task.value)}; };
  submit_work(*found, weight_of(task), describe, task, kind_of(task));
  return ACL_SUCCESS;
}

}  // namespace

void fill_value_params(const Step& step, aclmdlRITaskParams* params) {
  const auto* work = dynamic_cast<const WorkStep<ValueTask>*>(&step);
  if (work == nullptr) return;
  const ValueTask& task = work->body();
  if (task.waits) {
    params->valueWaitTaskParams = {task.address, task.value, task.flag};
  } else {
    params->valueWriteTaskParams = {task.address, task.value};
  }
}

int32_t set_value_params(const Call& call, GraphTask& task, const aclmdlRITaskParams& params) {
  ValueTask changed{nullptr, 0, 0, params.type == ACL_MODEL_RI_TASK_VALUE_WAIT, frees()};
  if (changed.waits) {
    const auto& given = params.valueWaitTaskParams;
    changed.address = given.devAddr;
    changed.value = given.value;
    changed.flag = given.flag;
  } else if (params.type == ACL_MODEL_RI_TASK_VALUE_WRITE) {
    changed.address = params.valueWriteTaskParams.devAddr;
    changed.value = params.valueWriteTaskParams.value;
  } else {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "params",
                     "of this type of task cannot be changed: a kernel here is an operator of the "
                     "library; update it with aclmdlRICaptureTaskUpdateBegin");
  }
  if (const int32_t code = check_task(call, changed)) return code;
  const StepPtr before = task.step();
  task.replace(std::make_shared<const WorkStep<ValueTask>>(
      before->kind, before->weight, Work{before->work.call, {}, std::to_string(changed.value)},
      changed));
  return ACL_SUCCESS;
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag,
                                    aclrtStream stream) {
  return acl_call("aclrtValueWrite", [&](const Call& call) {
    return queue(call, {devAddr, value, flag, false, frees()}, stream);
  });
}

extern "C" aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag,
                                   aclrtStream stream) {
  return acl_call("aclrtValueWait", [&](const Call& call) {
    return queue(call, {devAddr, value, flag, true, frees()}, stream);
  });
}
