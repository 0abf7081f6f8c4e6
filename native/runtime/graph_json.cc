// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph_json.h"

#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"

namespace aclhost {
namespace {

const char* type_name(TaskKind kind) {
  constexpr const char* kNames[] = {"DEFAULT",     "KERNEL",      "EVENT_RECORD", "EVENT_WAIT",
                                    "EVENT_RESET", "VALUE_WRITE", "VALUE_WAIT"};
  return kNames[static_cast<int>(kind)];
}

std::string task_text(const Graph& graph, const GraphTask& task, bool verbose) {
  const StepPtr step = task.step();
  const std::string id = std::to_string(task.id), stream = std::to_string(task.stream);
  std::string text = "{\"name\":" + json_quoted(step->work.call) +
                     ",\"ph\":\"X\",\"pid\":" + std::to_string(graph.id()) + ",\"tid\":" + stream +
                     ",\"ts\":" + id +
                     ",\"dur\":1,\"args\":{\"Model Id\":" + std::to_string(graph.id()) +
                     ",\"Stream Id\":" + stream + ",\"Task Id\":" + id + ",\"Task Type\":\"" +
                     type_name(step->kind) + "\"";
  if (task.edge != kNoEdge) text += ",\"Event\":" + std::to_string(task.edge);
  if (task.is_disabled) text += ",\"Disabled\":true";
  const std::string note = task.note();
  if (!note.empty()) {
    text += ",\"ExtendInfo\":" + json_quoted(note);
  } else if (verbose) {
    text += ",\"ExtendInfo\":" + json_quoted(step->work.detail);
  }
  return text + "}}";
}

std::string graph_text(const Graph& graph, bool verbose) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += R"({"name":"process_name","ph":"M","pid":)" + std::to_string(graph.id()) +
          R"(,"tid":0,"args":{"name":)" + json_quoted("graph " + graph.name()) + "}}";
  for (const GraphTaskPtr& task : graph.tasks()) text += ",\n" + task_text(graph, *task, verbose);
  return text + "\n]}\n";
}

}  // namespace

int32_t write_json(const Call& call, const Graph& graph, const char* path, bool verbose) {
  const std::string text = graph_text(graph, verbose);
  FILE* const file = std::fopen(path, "we");
  if (file == nullptr) {
    return call.fail(ACL_ERROR_RT_FILE_OPEN, "path",
                     std::string(path) + " cannot be opened for writing");
  }
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && is_written) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_FILE_WRITE, "path", std::string(path) + " cannot be written whole");
}

}  // namespace aclhost
