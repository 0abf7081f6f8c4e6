// SPDX-License-Identifier: Apache-2.0
// The two phases.
#include "operator/launch.h"

#include <algorithm>
#include <string>

#include "base/call.h"
#include "base/errors.h"
#include "base/recycled.h"
#include "base/stale.h"
#include "operator/arguments.h"
#include "operator/dump_arguments.h"
#include "operator/objects.h"
#include "operator/regions.h"
#include "operator/rules.h"
#include "operator/sized_results.h"
#include "operator/weight_size.h"
#include "runtime/allocator.h"
#include "runtime/capture.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/state_callbacks.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

__constinit Registry<Executor, Kind::kExecutor> all_executors;

struct LaunchTask {
  std::shared_ptr<Launch> launch;
  uint64_t asked;
  int32_t stream;
  int32_t device;
  int32_t running;  // another stream than the first, if that was captured
  std::shared_ptr<Dump> dump;

  void runs_on(int32_t other) {
    running = other;
    dump = current_dump();
  }
  Status operator()() const {
    const AllocatorUse use(running);
    Status status = launch->execute(asked, dump.get(), {device, running});
    if (!status.ok()) tell_exception(status, stream, device);
    return status;
  }
  bool touches(const MemoryRange& range) const { return launch->touches(range); }
};

// Elements of all tensors together up to which the calling thread computes an operator itself: what
// takes about as long as waking another thread.
constexpr int64_t kSmallElements = 4096;
// Beyond this, an operator takes a hundred times as long as that.
constexpr int64_t kLongElements = int64_t{1} << 23;

Weight weight_of(const Args& args) {
  const int64_t elements = total_elements(args);
  if (elements <= kSmallElements) return Weight::kSmall;
  return elements <= kLongElements ? Weight::kLarge : Weight::kLong;
}

// Takes the work out of an executor; a one-shot executor ends with it, as upstream's does.
std::shared_ptr<Launch> claim(aclOpExecutor* handle, Executor& executor) {
  if (!executor.repeatable) return executors().destroy(handle) ? executor.launch : nullptr;
  std::lock_guard<std::mutex> lock(executor.mutex);
  observe([&](Observer& o) { o.ran(handle); });
  return std::allocate_shared<Launch>(Recycled<Launch>(), *executor.launch);
}

int32_t not_an_executor(const Call& call, const aclOpExecutor* executor) {
  if (note_stale(call, executors(), "executor", executor)) {
    return call.fail(ACLNN_ERR_INNER, "executor",
                     "this executor has already run or was destroyed; an executor runs once unless "
                     "aclSetAclOpExecutorRepeatable is called right after phase 1");
  }
  return call.fail(ACLNN_ERR_PARAM_INVALID, "executor",
                   hex(executor) +
                       " is not an executor; pass the one that phase 1 returned with "
                       "status 0");
}

std::shared_ptr<Launch> make_launch(const Operator& op) {
  return std::allocate_shared<Launch>(Recycled<Launch>(), op);
}

bool is_sized_by_data(const Operator& op) {
  return std::any_of(op.params, op.params + op.param_count,
                     [](const ParamInfo& param) { return param.sized_by_data; });
}

// Waits for the work, and makes known how large its results are.
aclnnStatus finish_sized(Stream& stream, const Launch& launch) {
  stream.wait();
  observe([&](Observer& o) { o.joined_stream(stream.id()); });
  if (const int32_t code = stream.failure(); code != 0) return code;
  Work written{launch.args.op->name, {}, ""};
  for_each_tensor(launch.args, launch.args.tensors,
                  [&](const ParamInfo& param, const TensorView& view) {
                    if (!param.sized_by_data || !view.present) return;
                    refresh_tensor(view);
                    if (view.empty()) return;
                    written.regions.push_back(region_of(launch.args, param, view));
                    written.regions.back().is_partly = false;
                  });
  observe([&](Observer& o) { o.done_here(written); });
  return 0;
}

aclnnStatus null_result(const char* op, const char* parameter) {
  return report_null(ACLNN_ERR_PARAM_NULLPTR, (std::string(op) + "GetWorkspaceSize").c_str(),
                     parameter);
}

uint64_t workspace_of(const Launch& launch) { return launch.idle ? 0 : launch.args.op->workspace; }

// What phase 2 got is as large as what phase 1 asked for.
int32_t check_workspace(const Call& call, const Launch& launch, const void* workspace,
                        uint64_t size) {
  const uint64_t asked = workspace_of(launch);
  if (workspace == nullptr && (size > 0 || asked > 0)) return call.null("workspace");
  if (size >= asked) return 0;
  return call.fail(ACLNN_ERR_PARAM_INVALID, "workspaceSize",
                   "is " + std::to_string(size) + ", and phase 1 asked for " +
                       std::to_string(asked) +
                       " bytes; allocate what it returns in workspaceSize, and pass that on");
}

aclnnStatus hand_out(const char* op, std::shared_ptr<Launch> launch, uint64_t* workspace_size,
                     aclOpExecutor** executor) {
  const uint64_t asked = workspace_of(*launch);
  void* handle = executors().create(std::move(launch));
  if (handle == nullptr) {
    return report(ACLNN_ERR_INNER_CREATE_EXECUTOR, op, "executor",
                  "too many executors exist; run or destroy those that phase 1 handed out");
  }
  *workspace_size = asked;
  *executor = static_cast<aclOpExecutor*>(handle);
  return 0;
}

// 0, or what it has reported.
aclnnStatus read_call(const Given* given, Args* args) {
  if (const Status status = read_arguments(given, args); !status.ok()) return report(status);
  args->soc = current_soc();
  if (args->soc != nullptr) return 0;
  return report(ACLNN_ERR_INNER, args->op->name, "ACLHOST_SOC",
                "names no known SoC; known are names like " + example_socs());
}

aclnnStatus without_results(const Operator& op, const Given* given, const char* missing) {
  if (op.early_count > 0) {
    const auto launch = make_launch(op);
    if (const aclnnStatus code = read_call(given, &launch->args); code != 0) return code;
    if (const Status status = check_early(launch->args); !status.ok()) return report(status);
  }
  return null_result(op.name, missing);
}

// Phase 1 in the timeline.
class ObservedPhase {
 public:
  explicit ObservedPhase(const Operator& op) {
    if (!observed()) return;
    name_ = std::string(op.name) + "GetWorkspaceSize";
    observe([&](Observer& o) { o.began(name_.c_str(), "", kNoStream); });
  }
  ~ObservedPhase() {
    if (!name_.empty()) observe([&](Observer& o) { o.ended(name_.c_str(), kNoStream); });
  }
  ObservedPhase(const ObservedPhase&) = delete;
  ObservedPhase& operator=(const ObservedPhase&) = delete;

 private:
  std::string name_;
};

aclnnStatus prepare(const Operator& op, const Given* given, uint64_t* workspace_size,
                    aclOpExecutor** executor) {
  auto launch = make_launch(op);
  if (const aclnnStatus code = read_call(given, &launch->args); code != 0) return code;
  Outcome outcome = check(launch->args);
  if (!outcome.status.ok()) return report(outcome.status);
  launch->idle = outcome.idle;
  launch->refusal = std::move(outcome.launch);
  if (op.blocked >= 0 && !launch->idle && launch->refusal.ok()) {
    label_as_blocked(launch->args.tensor(op.blocked));
  }
  return hand_out(op.name, std::move(launch), workspace_size, executor);
}

}  // namespace

Registry<Executor, Kind::kExecutor>& executors() { return all_executors; }

aclnnStatus phase_one(const Operator& op, const Given* given, uint64_t* workspace_size,
                      aclOpExecutor** executor) {
  aclnnStatus status;
  try {
    const ObservedPhase phase(op);
    if (workspace_size == nullptr) return without_results(op, given, "workspaceSize");
    if (executor == nullptr) return without_results(op, given, "executor");
    status = prepare(op, given, workspace_size, executor);
  } catch (...) {
    status = report_exception(ACLNN_ERR_INNER_CREATE_EXECUTOR, op.name);
  }
  op.counter->add(status == 0);
  return status;
}

aclnnStatus phase_two(const char* op, void* workspace, uint64_t workspace_size,
                      aclOpExecutor* executor, aclrtStream stream) {
  return aclnn_call(op, [&](const Call& call) {
    if (executor == nullptr) return call.null("executor");
    const auto found = executors().find(executor);
    if (!found) return not_an_executor(call, executor);
    if (const int32_t code = check_workspace(call, *found->launch, workspace, workspace_size)) {
      executors().destroy(executor);
      return code;
    }
    std::shared_ptr<Launch> launch = claim(executor, *found);
    if (launch == nullptr) return not_an_executor(call, executor);
    if (launch->idle) return 0;
    if (!launch->refusal.ok()) return report(launch->refusal);
    const StreamRef queue = find_stream(stream);
    if (!queue) {
      note_stale(call, streams(), "stream", stream);
      return call.fail(ACLNN_ERR_RUNTIME_ERROR, "stream",
                       stream == nullptr
                           ? "the default stream needs a current context; call aclrtSetDevice first"
                           : hex(stream) + " is not a live stream");
    }
    const MemoryUse use;
    const Launch& prepared = *launch;
    const bool is_sized = is_sized_by_data(*prepared.args.op);
    if (is_sized && refuse_captured(call, *queue) != 0) {
      return static_cast<int32_t>(ACLNN_ERR_RUNTIME_ERROR);
    }
    // The task takes the launch with it, unless that is looked at afterwards.
    const bool is_recorded = is_recording_arguments.load(std::memory_order_relaxed);
    const std::shared_ptr<Launch> kept = is_sized || is_recorded ? launch : nullptr;
    const Weight weight = weight_of(prepared.args);
    submit_work(
        *queue, weight,
        [&] { return with_workspace(prepared.describe(), workspace, workspace_size); },
        LaunchTask{std::move(launch), frees(), queue->id(), queue->device(), queue->id(),
                   current_dump()},
        TaskKind::kKernel);
    if (is_recorded) record_arguments(kept->args);
    return is_sized ? finish_sized(*queue, *kept) : 0;
  });
}

}  // namespace aclhost
