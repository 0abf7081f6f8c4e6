// SPDX-License-Identifier: Apache-2.0
// The C functions that run graphs, ask them and end them.
#include <algorithm>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/graph.h"
#include "runtime/graph_json.h"
#include "runtime/model.h"
#include "runtime/stream.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

constexpr size_t kLongestName = 511;

// Looks the graph up for a body of the form `int32_t(const Call&, Graph&)`.
template <typename Body>
int32_t with_graph(const char* name, aclmdlRI graph, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (graph == nullptr) return call.null("modelRI");
    const GraphPtr found = graphs().find(graph);
    return found == nullptr ? no_graph(call, graph) : body(call, *found);
  });
}

int32_t check_ready(const Call& call, const Graph& graph) {
  if (graph.state != Graph::State::kReady) {
    return call.fail(ACL_ERROR_RT_MODEL_CAPTURED, "modelRI",
                     "is not complete; call aclmdlRICaptureEnd or aclmdlRIBuildEnd first");
  }
  if (!graph.is_inner) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI", "is part of another graph; run that one");
}

// What models may lack.
int32_t check_model(const Call& call, const Graph& graph) {
  const auto* model = dynamic_cast<const Model*>(&graph);
  if (model == nullptr) return ACL_SUCCESS;
  if (!model->has_head()) {
    return call.fail(ACL_ERROR_RT_STREAM_MODEL, "modelRI",
                     "has no stream to begin with; they may have been unbound");
  }
  if (!model->is_spoiled()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_MODEL_EXECUTE, "modelRI",
                   "cannot run: its streams were given tasks after aclmdlRIBuildEnd");
}

int32_t execute_async(const Call& call, Graph& graph, aclrtStream stream) {
  if (!current_context()) return no_context(call);
  const StreamRef found = find_stream(stream);
  if (!found) return no_stream(call, stream);
  if (const int32_t code = check_ready(call, graph)) return code;
  if (const int32_t code = check_model(call, graph)) return code;
  if (const int32_t code = refuse_captured(call, *found)) return code;
  if (const int32_t code = refuse_bound(call, *found)) return code;
  if (found->device() != graph.device()) {
    return call.fail(ACL_ERROR_RT_MODEL_CONTEXT, "stream",
                     "belongs to another device than the graph was made for");
  }
  graph.replay(*found);
  return ACL_SUCCESS;
}

int32_t execute(const Call& call, Graph& graph, int32_t timeout) {
  if (const int32_t code = check_timeout(call, timeout)) return code;
  if (const int32_t code = execute_async(call, graph, nullptr)) return code;
  const StreamRef stream = find_stream(nullptr);
  if (!stream) return no_context(call);
  const MarkPtr end = graph.last_run();
  if (!end->wait(timeout)) {
    return call.fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout",
                     "of " + std::to_string(timeout) + " ms passed before the graph had run");
  }
  observe([&](Observer& o) { o.joined_mark(end->id()); });
  return stream->failure();
}

int32_t destroy(const Call& call, aclmdlRI handle) {
  if (handle == nullptr) return call.null("modelRI");
  const GraphPtr graph = graphs().find(handle);
  if (graph == nullptr) return no_graph(call, handle);
  if (graph->is_inner) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI",
                     "is part of another graph, and ends with that");
  }
  if (graph->is_captured()) {
    return call.fail(ACL_ERROR_RT_MODEL_CAPTURED, "modelRI",
                     "is being captured; call aclmdlRICaptureEnd first");
  }
  if (!graphs().remove(handle)) return no_graph(call, handle);
  observe([&](Observer& o) { o.destroyed(handle); });
  graph->close();
  return ACL_SUCCESS;
}

// The answer of functions that are called twice: for the count, and for the array.
template <typename Entry>
int32_t fill(const Call& call, const std::vector<Entry>& entries, const char* name, Entry* array,
             uint32_t* count) {
  const uint32_t room = *count;
  *count = static_cast<uint32_t>(entries.size());
  if (array == nullptr) return ACL_SUCCESS;
  if (room < entries.size()) {
    return call.fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, name,
                     "has room for " + std::to_string(room) + " of " +
                         std::to_string(entries.size()) + " entries");
  }
  std::copy(entries.begin(), entries.end(), array);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return with_graph("aclmdlRIExecuteAsync", modelRI, [&](const Call& call, Graph& graph) {
    return execute_async(call, graph, stream);
  });
}

extern "C" aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return with_graph("aclmdlRIExecute", modelRI,
                    [&](const Call& call, Graph& graph) { return execute(call, graph, timeout); });
}

extern "C" aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return acl_call("aclmdlRIDestroy", [&](const Call& call) { return destroy(call, modelRI); });
}

extern "C" aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
  return with_graph("aclmdlRISetName", modelRI, [&](const Call& call, Graph& graph) -> int32_t {
    if (name == nullptr) return call.null("name");
    graph.set_name(std::string(name).substr(0, kLongestName));
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
  return with_graph("aclmdlRIGetName", modelRI, [&](const Call& call, Graph& graph) -> int32_t {
    if (name == nullptr) return call.null("name");
    if (maxLen == 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "maxLen", "is 0; there must be room for a byte");
    }
    const std::string text = graph.name().substr(0, maxLen - 1);
    std::memcpy(name, text.c_str(), text.size() + 1);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId) {
  return with_graph("aclmdlRIGetId", modelRI, [&](const Call& call, Graph& graph) -> int32_t {
    if (modelRIId == nullptr) return call.null("modelRIId");
    *modelRIId = graph.id();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams,
                                       uint32_t* numStreams) {
  return with_graph("aclmdlRIGetStreams", modelRI, [&](const Call& call, Graph& graph) -> int32_t {
    if (numStreams == nullptr) return call.null("numStreams");
    return fill(call, graph.stream_handles(), "streams", streams, numStreams);
  });
}

extern "C" aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
                                                    void* userData) {
  return with_graph("aclmdlRIDestroyRegisterCallback", modelRI,
                    [&](const Call& call, Graph& graph) -> int32_t {
                      if (func == nullptr) return call.null("func");
                      graph.when_destroyed(func, userData);
                      return ACL_SUCCESS;
                    });
}

extern "C" aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func) {
  return with_graph(
      "aclmdlRIDestroyUnregisterCallback", modelRI, [&](const Call& call, Graph& graph) -> int32_t {
        if (func == nullptr) return call.null("func");
        if (graph.forget_when_destroyed(func)) return ACL_SUCCESS;
        return call.fail(ACL_ERROR_RT_PARAM_INVALID, "func", "is not registered for this graph");
      });
}

// Upstream prints to its log; there is none here.
extern "C" aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  return with_graph("aclmdlRIDebugPrint", modelRI, [](const Call&, Graph&) { return ACL_SUCCESS; });
}

extern "C" aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
  return with_graph("aclmdlRIDebugJsonPrint", modelRI,
                    [&](const Call& call, Graph& graph) -> int32_t {
                      if (path == nullptr) return call.null("path");
                      if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) {
                        return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flags",
                                         "is " + std::to_string(flags) + "; pass 0 or 1");
                      }
                      return write_json(call, graph, path, flags != 0);
                    });
}
