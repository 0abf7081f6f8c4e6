// SPDX-License-Identifier: Apache-2.0
#include "operator/launch.h"

#include <algorithm>

#include "base/call.h"
#include "base/errors.h"
#include "dtypes.h"
#include "operator/checks.h"
#include "operator/objects.h"
#include "operator/span.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/pages.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// Elements of all tensors together up to which the calling thread computes an operator itself: what
// takes about as long as waking another thread.
constexpr int64_t kSmallElements = 4096;

// Takes the work out of an executor; a one-shot executor ends with it, as upstream's does.
std::shared_ptr<Launch> claim(aclOpExecutor* handle, Executor& executor) {
  std::lock_guard<std::mutex> lock(executor.mutex);
  if (executor.repeatable) return executor.launch->clone();
  return executors().destroy(handle) ? executor.launch : nullptr;
}

int32_t not_an_executor(const Call& call, const aclOpExecutor* executor) {
  if (executors().was_ours(executor)) {
    observe([&](Observer& o) { o.misused(call.name, "executor", executor); });
    return call.fail(ACLNN_ERR_INNER, "executor",
                     "this executor has already run or was destroyed; an executor runs once unless "
                     "aclSetAclOpExecutorRepeatable is called right after phase 1");
  }
  return call.fail(ACLNN_ERR_PARAM_INVALID, "executor",
                   hex(executor) +
                       " is not an executor; pass the one that phase 1 returned with "
                       "status 0");
}

}  // namespace

Registry<Executor, Kind::kExecutor>& executors() {
  static auto& registry = *new Registry<Executor, Kind::kExecutor>;
  return registry;
}

Status check_memory(const char* op, const char* tensor, const TensorView& view, uint64_t asked) {
  if (!view.present || view.empty()) return {};
  const ByteSpan span = span_of(view);
  if (view.data != nullptr && is_mapped(span.begin, span.size, asked)) return {};
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = tensor;
  failure.rule = "device_memory";
  failure.message =
      std::string(op) + ": " + tensor + " has no device memory: " +
      (view.data == nullptr ? "its address is null"
                            : "nothing is mapped for all of its " + std::to_string(span.size) +
                                  " bytes at " + hex(span.begin)) +
      ". Pass an address from aclrtMalloc to aclCreateTensor, or set it before "
      "phase 2, and keep the memory until the stream is synchronized.";
  return Status::failed(std::move(failure));
}

void make_reachable(TensorView* view) { view->data = reachable(view->data); }

Region region_of(const char* name, const TensorView& view, Use use) {
  const size_t item = (data_type_bits(view.dtype) + 7) / 8;
  return {name,
          static_cast<const char*>(view.data) + view.offset * static_cast<int64_t>(item),
          item,
          {view.shape, view.shape + view.rank},
          {view.strides, view.strides + view.rank},
          use != Use::kWrite,
          use != Use::kRead};
}

std::string describe_tensor(const char* name, const TensorView& view) {
  return std::string(name) + " " + data_type_name(view.dtype) + shape_text(view);
}

void Arguments::tensor(const char* name, const aclTensor* handle, TensorView* view) {
  if (handle == nullptr) return;
  const auto object = tensors().find(handle);
  if (!object) return not_live(name, "an aclTensor", handle, tensors().was_ours(handle));
  *view = object->view;
  view->source = handle;
}

void Arguments::scalar(const char* name, const aclScalar* handle, ScalarValue* value) {
  if (handle == nullptr) return;
  const auto object = scalars().find(handle);
  if (!object) return not_live(name, "an aclScalar", handle, scalars().was_ours(handle));
  *value = object->value;
}

void Arguments::int_array(const char* name, const aclIntArray* handle, IntArrayView* view) {
  if (handle == nullptr) return;
  const auto object = int_arrays().find(handle);
  if (!object) return not_live(name, "an aclIntArray", handle, int_arrays().was_ours(handle));
  view->present = true;
  view->size = object->values.size();
  std::copy_n(object->values.begin(), std::min<uint64_t>(view->size, kMaxArrayValues),
              view->values);
}

void Arguments::not_live(const char* name, const char* kind, const void* handle, bool stale) {
  if (stale) observe([&](Observer& o) { o.misused(op_, name, handle); });
  if (!status_.ok()) return;
  Failure failure;
  failure.code = ACLNN_ERR_PARAM_INVALID;
  failure.parameter = name;
  failure.rule = "live_handle";
  failure.message = std::string(op_) + ": " + name + " must be " + kind +
                    " that was created and not yet destroyed; got another pointer. Keep it until "
                    "phase 1 has returned.";
  status_ = Status::failed(std::move(failure));
}

namespace launch_detail {

aclnnStatus null_result(const char* op, const char* parameter) {
  return report_null(ACLNN_ERR_PARAM_NULLPTR, (std::string(op) + "GetWorkspaceSize").c_str(),
                     parameter);
}

aclnnStatus unknown_soc(const char* op) {
  return report(ACLNN_ERR_INNER, op, "ACLHOST_SOC",
                "names no known SoC; known are names like " + example_socs());
}

aclnnStatus hand_out(const char* op, std::shared_ptr<Launch> launch, uint64_t* workspace_size,
                     aclOpExecutor** executor) {
  void* handle = executors().create(std::move(launch));
  if (handle == nullptr) {
    return report(ACLNN_ERR_INNER_CREATE_EXECUTOR, op, "executor",
                  "too many executors exist; run or destroy those that phase 1 handed out");
  }
  *workspace_size = 0;
  *executor = static_cast<aclOpExecutor*>(handle);
  return 0;
}

aclnnStatus out_of_memory(const char* op) {
  return report_exception(ACLNN_ERR_INNER_CREATE_EXECUTOR, op);
}

}  // namespace launch_detail

aclnnStatus phase_two(const char* op, void* workspace, uint64_t workspace_size,
                      aclOpExecutor* executor, aclrtStream stream) {
  return aclnn_call(op, [&](const Call& call) {
    if (executor == nullptr) return call.null("executor");
    const auto found = executors().find(executor);
    if (!found) return not_an_executor(call, executor);
    if (workspace_size > 0 && workspace == nullptr) {
      executors().destroy(executor);
      return call.null("workspace");
    }
    const std::shared_ptr<Launch> launch = claim(executor, *found);
    if (launch == nullptr) return not_an_executor(call, executor);
    if (launch->idle) return 0;
    if (!launch->refusal.ok()) return report(launch->refusal);
    const StreamRef queue = find_stream(stream);
    if (!queue) {
      if (streams().was_ours(stream)) {
        observe([&](Observer& o) { o.misused(call.name, "stream", stream); });
      }
      return call.fail(ACLNN_ERR_RUNTIME_ERROR, "stream",
                       stream == nullptr
                           ? "the default stream needs a current context; call aclrtSetDevice first"
                           : hex(stream) + " is not a live stream");
    }
    const Weight weight = launch->elements() <= kSmallElements ? Weight::kSmall : Weight::kLarge;
    launch->asked = frees();
    const auto work = [&] { return launch->describe(); };
    submit_work(*queue, weight, work, [launch] { return launch->execute(); });
    return 0;
  });
}

}  // namespace aclhost
