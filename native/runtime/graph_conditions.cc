// SPDX-License-Identifier: Apache-2.0
// Graphs inside of graphs: a number in device memory decides which of them runs, or how often.
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/graph.h"

namespace aclhost {
namespace {

struct Conditional {
  std::weak_ptr<Graph> graph;
  std::shared_ptr<Graph::Condition> condition;
};

Immortal<HandleTable<Conditional, 9>> conditionals;

struct ConditionTask {
  std::shared_ptr<Graph::Condition> condition;
  aclmdlRICondTaskType type;
  std::vector<GraphPtr> branches;

  Status operator()(int32_t stream) {
    if (TaskQueue::is_dropped_here()) return {};
    if (type == ACL_MODEL_RI_COND_TYPE_WHILE) {
      Status status;
      while (status.ok() && condition->load() != 0 && !TaskQueue::is_dropped_here())
        status = branches[0]->run_here(stream);
      return status;
    }
    const uint64_t value = condition->load();
    const uint64_t branch = type == ACL_MODEL_RI_COND_TYPE_SWITCH ? value : value == 0;
    return branch < branches.size() ? branches[branch]->run_here(stream) : Status();
  }
};

int32_t check_params(const Call& call, const aclmdlRICondTaskParams& params) {
  if (params.handle == nullptr) return call.null("params.handle");
  if (params.modelRIArray == nullptr) return call.null("params.modelRIArray");
  const int type = static_cast<int>(params.type);
  const uint32_t most = type == ACL_MODEL_RI_COND_TYPE_IF      ? 2
                        : type == ACL_MODEL_RI_COND_TYPE_WHILE ? 1
                                                               : UINT16_MAX;
  if (type < 0 || type > ACL_MODEL_RI_COND_TYPE_SWITCH || params.size == 0 || params.size > most) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "params",
                     "has type " + std::to_string(type) + " and " + std::to_string(params.size) +
                         " graphs; IF (0) has one or two, WHILE (1) one, SWITCH (2) some");
  }
  return ACL_SUCCESS;
}

int32_t add_task(const Call& call, const aclmdlRICondTaskParams& params, Stream& stream) {
  const CapturePtr capture = capture_of(stream);
  if (capture == nullptr) {
    return call.fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream",
                     "is not being captured; call aclmdlRICaptureBegin first");
  }
  if (const int32_t code = check_params(call, params)) return code;
  const auto found = conditionals->find(params.handle);
  if (found == nullptr || found->graph.lock() != capture->graph) {
    return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "params.handle",
                     hex(params.handle) + " is no condition of the graph that is captured");
  }
  ConditionTask task{found->condition, params.type, {}};
  for (uint32_t i = 0; i < params.size; ++i) {
    const auto inner = std::make_shared<Graph>(stream.device(), stream.context_id());
    inner->is_inner = true;
    task.branches.push_back(inner);
    params.modelRIArray[i] = graphs().add(inner);
    capture->graph->keep_inner(params.modelRIArray[i]);
  }
  submit_plain(stream, Weight::kWaiting, call.name, task);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
                                             aclmdlRICondHandleFlag flag,
                                             aclmdlRICondHandle* handle) {
  return acl_call("aclmdlRICondHandleCreate", [&](const Call& call) -> int32_t {
    if (modelRI == nullptr) return call.null("modelRI");
    if (handle == nullptr) return call.null("handle");
    const GraphPtr graph = graphs().find(modelRI);
    if (graph == nullptr) return no_graph(call, modelRI);
    const int number = static_cast<int>(flag);
    if (number != 0 && number != ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                       "is " + std::to_string(number) +
                           "; pass 0 or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT (1)");
    }
    auto condition = graph->add_condition(defaultLaunchValue, number != 0);
    if (condition == nullptr) {
      return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "handle", "the device has no memory left");
    }
    const auto made = std::make_shared<Conditional>();
    made->graph = graph;
    made->condition = std::move(condition);
    *handle = conditionals->add(made);
    graph->when_closed([ended = *handle] { conditionals->remove(ended); });
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t** ptr) {
  return acl_call("aclmdlRICondHandleGetCondPtr", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    if (ptr == nullptr) return call.null("ptr");
    const auto found = conditionals->find(handle);
    if (found == nullptr) {
      return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "handle",
                       hex(handle) + " is no condition; its graph may have been destroyed");
    }
    *ptr = found->condition->value;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,
                                        uint32_t flags) {
  return acl_call("aclmdlRIAddCondTask", [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("stream");
    if (flags != 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flags",
                       "is " + std::to_string(flags) + "; it must be 0");
    }
    const StreamRef found = streams().find(stream);
    return found ? add_task(call, params, *found) : no_stream(call, stream);
  });
}
