// SPDX-License-Identifier: Apache-2.0
// The C functions that look at the tasks of graphs, change values and switch tasks off.
#include <algorithm>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/graph.h"
#include "runtime/stream.h"
#include "runtime/value_tasks.h"

namespace aclhost {
namespace {

// Looks the task up for a body of the form `int32_t(const Call&, GraphTask&)`.
template <typename Body>
int32_t with_task(const char* name, aclmdlRITask task, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (task == nullptr) return call.null("task");
    const GraphTaskPtr found = graph_tasks().find(task);
    if (found != nullptr) return body(call, *found);
    return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "task",
                     hex(task) +
                         " is no task of aclmdlRIGetTasksByStream; its graph may have been "
                         "destroyed");
  });
}

aclmdlRITask handle_of(const GraphTaskPtr& task) {
  if (void* known = task->handle.load()) return known;
  void* added = graph_tasks().add(task);
  void* nothing = nullptr;
  if (task->handle.compare_exchange_strong(nothing, added)) return added;
  graph_tasks().remove(added);
  return nothing;
}

// Of the graph that has a stream of this id; streams take part in one after another.
std::vector<GraphTaskPtr> tasks_of_stream(int32_t stream) {
  std::vector<GraphTaskPtr> found;
  graphs().for_each([&](const GraphPtr& graph) {
    if (graph->has_stream(stream)) found = graph->tasks_of(stream);
  });
  return found;
}

int32_t list_tasks(const Call& call, const Stream& stream, aclmdlRITask* tasks, uint32_t* count) {
  const std::vector<GraphTaskPtr> found = tasks_of_stream(stream.id());
  const uint32_t room = *count;
  *count = static_cast<uint32_t>(found.size());
  if (tasks == nullptr) return ACL_SUCCESS;
  if (room < found.size()) {
    return call.fail(
        ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "tasks",
        "has room for " + std::to_string(room) + " of " + std::to_string(found.size()) + " tasks");
  }
  std::transform(found.begin(), found.end(), tasks, handle_of);
  return ACL_SUCCESS;
}

aclmdlRITaskType type_of(const GraphTask& task) {
  return static_cast<aclmdlRITaskType>(task.step()->kind);
}

void fill_params(const GraphTask& task, aclmdlRITaskParams* params) {
  std::memset(params, 0, sizeof *params);
  params->type = type_of(task);
  params->taskGrp = task.group;
  switch (params->type) {
    case ACL_MODEL_RI_TASK_EVENT_RECORD:
      params->eventRecordTaskParams = {task.event, task.event_flags, 0};
      break;
    case ACL_MODEL_RI_TASK_EVENT_WAIT:
      params->eventWaitTaskParams = {task.event, task.event_flags, 0};
      break;
    case ACL_MODEL_RI_TASK_EVENT_RESET:
      params->eventResetTaskParams = {task.event, task.event_flags, 0};
      break;
    case ACL_MODEL_RI_TASK_VALUE_WRITE:
    case ACL_MODEL_RI_TASK_VALUE_WAIT:
      fill_value_params(*task.step(), params);
      break;
    default:
      break;  // a kernel here has no code and no arguments that a program could look at
  }
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks,
                                             uint32_t* numTasks) {
  return acl_call("aclmdlRIGetTasksByStream", [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("stream");
    if (numTasks == nullptr) return call.null("numTasks");
    const StreamRef found = streams().find(stream);
    return found ? list_tasks(call, *found, tasks, numTasks) : no_stream(call, stream);
  });
}

extern "C" aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id) {
  return with_task("aclmdlRITaskGetSeqId", task, [&](const Call& call, GraphTask& found) {
    if (id == nullptr) return call.null("id");
    *id = found.id;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type) {
  return with_task("aclmdlRITaskGetType", task, [&](const Call& call, GraphTask& found) {
    if (type == nullptr) return call.null("type");
    *type = type_of(found);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
  return with_task("aclmdlRITaskGetParams", task, [&](const Call& call, GraphTask& found) {
    if (params == nullptr) return call.null("params");
    fill_params(found, params);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
  return with_task("aclmdlRITaskSetParams", task,
                   [&](const Call& call, GraphTask& found) -> int32_t {
                     if (params == nullptr) return call.null("params");
                     if (params->type != type_of(found)) {
                       return call.fail(ACL_ERROR_RT_PARAM_INVALID, "params",
                                        "is for another type of task; ask aclmdlRITaskGetType");
                     }
                     return set_value_params(call, found, *params);
                   });
}

extern "C" aclError aclmdlRITaskDisable(aclmdlRITask task) {
  return with_task("aclmdlRITaskDisable", task, [](const Call& call, GraphTask& found) -> int32_t {
    if (found.edge != kNoEdge) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "task",
                       "orders streams of the graph, which must stay");
    }
    found.is_disabled = true;
    return ACL_SUCCESS;
  });
}

// Changes of tasks count from the next run on without it.
extern "C" aclError aclmdlRIUpdate(aclmdlRI modelRI) {
  return acl_call("aclmdlRIUpdate", [&](const Call& call) -> int32_t {
    if (modelRI == nullptr) return call.null("modelRI");
    return graphs().find(modelRI) == nullptr ? no_graph(call, modelRI) : ACL_SUCCESS;
  });
}
