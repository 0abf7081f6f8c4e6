// SPDX-License-Identifier: Apache-2.0
// Work as observers want to see it. Without observers nothing is described, let alone copied.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "base/observer.h"
#include "runtime/recorder.h"
#include "runtime/stream.h"

namespace aclhost {

// A task that observers see begin and end.
template <typename Task>
struct ObservedTask {
  const char* call;
  std::string detail;
  int32_t stream;
  Task task;

  Status operator()() {
    observe([&](Observer& o) { o.began(call, detail, stream); });
    Status status = run_task(task);
    observe([&](Observer& o) { o.ended(call, stream); });
    return status;
  }
  bool touches(const MemoryRange& range) const { return task.touches(range); }
};

// Submits a task; `describe`, a Work(), says what it is.
template <typename Describe, typename Task>
void submit_work(Stream& stream, Weight weight, Describe&& describe, Task&& task,
                 TaskKind kind = TaskKind::kOther) {
  using Body = std::decay_t<Task>;
  const auto make = [&] {
    return std::make_shared<const WorkStep<Body>>(kind, weight, describe(), task);
  };
  if (is_recorded(stream, make)) return;
  note_task();
  if (!observed()) return stream.submit(weight, std::forward<Task>(task));
  const Work work = describe();
  const int32_t id = stream.id();
  observe([&](Observer& o) { o.submitted(work, id, stream.device()); });
  stream.submit(weight, ObservedTask<Body>{work.call, work.detail, id, task});
}

constexpr int32_t kNoStream = -1;  // the calling thread itself

// The same for what the calling thread does at once.
template <typename Describe, typename Task>
void do_here(Describe&& describe, Task&& task) {
  if (!observed()) return task();
  const Work work = describe();
  observe([&](Observer& o) { o.done_here(work); });
  observe([&](Observer& o) { o.began(work.call, work.detail, kNoStream); });
  task();
  observe([&](Observer& o) { o.ended(work.call, kNoStream); });
}

}  // namespace aclhost
