// SPDX-License-Identifier: Apache-2.0
// How a graph runs: its first stream is the one that the program names, the others are its own.
#include <algorithm>
#include <string>

#include "runtime/graph.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr const char* kGroup = "aclmdlRIExecuteAsync";  // what timelines call a run

// The two ends of a run in a timeline.
void queue_group_end(Stream& lane, uint32_t graph, bool begins) {
  if (!observed()) return;
  lane.submit(Weight::kMark, [graph, begins, id = lane.id()] {
    observe([&](Observer& o) {
      begins ? o.began(kGroup, "graph " + std::to_string(graph), id) : o.ended(kGroup, id);
    });
    return Status();
  });
}

}  // namespace

void queue_record(Stream& stream, const MarkPtr& mark) {
  const int32_t id = stream.id();
  observe([&](Observer& o) { o.recorded(mark->id(), id); });
  mark->recorded_in(stream.queue());
  stream.submit(Weight::kMark, [mark, id] {
    observe([&](Observer& o) { o.reached(mark->id(), id); });
    if (TaskQueue::is_dropped_here()) mark->forsake();
    mark->reach();
    return Status();
  });
}

void queue_wait(Stream& stream, const MarkPtr& mark) {
  const int32_t id = stream.id();
  observe([&](Observer& o) { o.awaits(mark->id(), id); });
  if (mark->reached() && !observed()) return;
  stream.submit(mark->reached() ? Weight::kMark : Weight::kWaiting, [mark, id] {
    observe([&](Observer& o) { o.began("aclrtStreamWaitEvent", "", id); });
    mark->wait(Stream::kForever);
    observe([&](Observer& o) {
      o.passed(mark->id(), id);
      o.ended("aclrtStreamWaitEvent", id);
    });
    return Status();
  });
}

// What the tasks of one run share.
struct Graph::Replay {
  explicit Replay(int edges) : marks(static_cast<size_t>(edges)), asked(frees()) {
    for (MarkPtr& mark : marks) mark = std::make_shared<Mark>();
  }
  void fail(Status status) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (first_failure.ok()) first_failure = std::move(status);
  }
  Status failure() {
    const std::lock_guard<std::mutex> lock(mutex);
    return first_failure;
  }

  std::vector<MarkPtr> marks;  // by edge
  const uint64_t asked;
  std::mutex mutex;
  Status first_failure;  // of the streams that the program does not see
};

struct Graph::ReplayTask {
  GraphTaskPtr task;
  std::shared_ptr<Replay> replay;
  int32_t stream;
  bool is_first;  // in the stream that runs the graph, which keeps failures itself

  Status operator()() {
    Status status = task->step()->run(stream, replay->asked);
    if (is_first || status.ok()) return status;
    replay->fail(std::move(status));
    return {};
  }
  bool touches(const MemoryRange& range) const { return task->step()->touches(range); }
};

Stream& Graph::lane_of(int32_t stream, Stream& running) {
  if (tracks_.empty() || tracks_.front().stream == stream) return running;
  const auto found = std::find_if(tracks_.begin(), tracks_.end(),
                                  [&](const Track& track) { return track.stream == stream; });
  if (found->lane == nullptr) found->lane = std::make_unique<Stream>(device_, context_id_);
  return *found->lane;
}

void Graph::queue(const GraphTaskPtr& task, Stream& lane, const std::shared_ptr<Replay>& replay,
                  bool is_first) {
  const StepPtr step = task->step();
  if (task->edge != kNoEdge) {
    const MarkPtr& mark = replay->marks[static_cast<size_t>(task->edge)];
    return step->kind == TaskKind::kRecord ? queue_record(lane, mark) : queue_wait(lane, mark);
  }
  step->announce(lane);
  lane.submit(step->weight, ReplayTask{task, replay, lane.id(), is_first});
}

void Graph::replay(Stream& stream) {
  const MemoryUse use;
  const std::lock_guard<std::mutex> lock(running_);
  if (const MarkPtr last = last_run(); last != nullptr && last_stream_ != stream.id()) {
    queue_wait(stream, last);
  }
  if (!conditions_.empty()) {
    stream.submit(Weight::kSmall, [self = shared_from_this()] {
      self->reset_conditions();
      return Status();
    });
  }
  queue_group_end(stream, id_, true);
  queue_tasks(stream);
  queue_group_end(stream, id_, false);
  const auto end = std::make_shared<Mark>();
  queue_record(stream, end);
  last_stream_ = stream.id();
  const std::lock_guard<std::mutex> state_lock(mutex_);
  last_run_ = end;
}

void Graph::queue_tasks(Stream& stream) {
  const auto replay = std::make_shared<Replay>(edges_);
  for (const GraphTaskPtr& task : tasks()) {
    if (task->is_disabled) continue;
    Stream& lane = lane_of(task->stream, stream);
    queue(task, lane, replay, &lane == &stream);
  }
  if (tracks_.size() > 1) {
    stream.submit(Weight::kMark, [replay] { return replay->failure(); });
  }
}

Status Graph::run_here(int32_t stream) {
  reset_conditions();
  Status first;
  const uint64_t asked = frees();
  for (const GraphTaskPtr& task : tasks()) {
    // In one thread, the order of the tasks is that of the events.
    if (task->is_disabled || task->edge != kNoEdge) continue;
    Status status = task->step()->run(stream, asked);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace aclhost
