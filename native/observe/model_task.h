// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/observer.h"
#include "observe/order.h"
#include "observe/place.h"
#include "observe/runs.h"

namespace aclhost {

// A parameter's memory.
struct Touch {
  const char* name;
  bool reads;
  bool writes;
  Side side;
  Runs runs;
  bool is_partly;
};

// Work as the model judges it.
struct ModelTask {
  const char* call;
  std::string detail;
  std::vector<Touch> touches;
  std::optional<Moment> moment;  // none: the program's own thread does it, now
  int32_t device;                // of the stream
  Place here;                    // where the program asked for it
};

// One parameter of a task, and the words for it.
struct Use {
  const ModelTask& task;
  const Touch& touch;

  std::string subject() const { return std::string(task.call) + ": " + touch.name; }
  std::string detail() const { return task.detail.empty() ? "" : " (" + task.detail + ")"; }
  const char* verb() const { return touch.writes ? " writes " : " reads "; }
  uintptr_t first() const { return touch.runs.first(); }
  uintptr_t last() const { return touch.runs.last(); }
  uintptr_t span() const { return last() - first(); }
  bool is_copy() const { return std::string(task.call).rfind("aclrt", 0) == 0; }
};

}  // namespace aclhost
