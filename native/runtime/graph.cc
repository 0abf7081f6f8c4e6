// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph.h"

#include <algorithm>

#include "base/call.h"
#include "base/immortal.h"
#include "runtime/capture.h"
#include "runtime/memory.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

Immortal<GraphTable> all_graphs;
Immortal<GraphTaskTable> all_tasks;

uint32_t next_id() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

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

GraphTable& graphs() { return *all_graphs; }
GraphTaskTable& graph_tasks() { return *all_tasks; }

int32_t no_graph(const Call& call, aclmdlRI graph) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "modelRI",
                   hex(graph) +
                       " is not a graph of aclmdlRICaptureEnd or aclmdlRIBuildBegin; it may have "
                       "been destroyed");
}

void queue_record(Stream& stream, const MarkPtr& mark) {
  const int32_t id = stream.id();
  observe([&](Observer& o) { o.recorded(mark->id(), id); });
  mark->recorded_in(stream.queue());
  stream.submit(Weight::kMark, [mark, id] {
    observe([&](Observer& o) { o.reached(mark->id(), id); });
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

Graph::Graph(int32_t device, uint64_t context_id)
    : id_(next_id()), device_(device), context_id_(context_id) {}

Graph::~Graph() {
  for (const Track& track : tracks_) {
    if (track.lane != nullptr) track.lane->abandon();
  }
}

void Graph::keep_group(aclrtTaskGrp group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  groups_.push_back(group);
}

void Graph::close() {
  std::vector<std::pair<aclrtCallback, void*>> functions;
  std::vector<std::function<void()>> actions;
  std::vector<aclmdlRI> inner;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    functions.swap(destroyed_);
    actions.swap(closing_);
    inner.swap(inner_);
    for (const aclrtTaskGrp group : groups_) task_groups().remove(group);
    for (const GraphTaskPtr& task : tasks_) graph_tasks().remove(task->handle.exchange(nullptr));
  }
  for (const aclmdlRI handle : inner) {
    if (const GraphPtr graph = graphs().find(handle)) graph->close();
    graphs().remove(handle);
  }
  for (const auto& action : actions) action();
  for (const auto& [function, data] : functions) function(data);
}

void Graph::keep_inner(aclmdlRI graph) {
  const std::lock_guard<std::mutex> lock(mutex_);
  inner_.push_back(graph);
}

void Graph::when_closed(std::function<void()> action) {
  const std::lock_guard<std::mutex> lock(mutex_);
  closing_.push_back(std::move(action));
}

Graph::Condition::~Condition() { release(value, MemoryKind::kDevice); }

uint64_t Graph::Condition::load() const {
  return __atomic_load_n(static_cast<uint64_t*>(reachable(value)), __ATOMIC_ACQUIRE);
}

void Graph::Condition::store(uint64_t number) const {
  __atomic_store_n(static_cast<uint64_t*>(reachable(value)), number, __ATOMIC_RELEASE);
}

void Graph::add_stream(int32_t id, aclrtStream handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (find_track(id) == nullptr) tracks_.push_back({id, handle, nullptr});
}

GraphTaskPtr Graph::add(int32_t stream, StepPtr step, int edge) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = static_cast<uint32_t>(tasks_.size());
  tasks_.push_back(std::make_shared<GraphTask>(number, stream, std::move(step)));
  tasks_.back()->edge = edge;
  return tasks_.back();
}

int Graph::new_edge() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return edges_++;
}

bool Graph::is_joined() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (tracks_.empty()) return true;
  std::vector<uint32_t> record_of(static_cast<size_t>(edges_));
  for (const GraphTaskPtr& task : tasks_) {
    if (task->edge != kNoEdge && task->step()->kind == TaskKind::kRecord) {
      record_of[static_cast<size_t>(task->edge)] = task->id;
    }
  }
  // How many tasks, from the front, the first stream has awaited; backwards, as a record comes
  // before its waits.
  std::map<int32_t, uint32_t> awaited = {{tracks_.front().stream, UINT32_MAX}};
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    if ((*task)->id >= awaited[(*task)->stream]) return false;
    if ((*task)->edge == kNoEdge || (*task)->step()->kind != TaskKind::kWait) continue;
    const uint32_t record = record_of[static_cast<size_t>((*task)->edge)];
    uint32_t& limit = awaited[tasks_[record]->stream];
    limit = std::max(limit, record + 1);
  }
  return true;
}

const Graph::Track* Graph::find_track(int32_t stream) const {
  const auto found = std::find_if(tracks_.begin(), tracks_.end(),
                                  [&](const Track& track) { return track.stream == stream; });
  return found == tracks_.end() ? nullptr : &*found;
}

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
  const auto replay = std::make_shared<Replay>(edges_);
  if (!conditions_.empty()) {
    stream.submit(Weight::kSmall, [self = shared_from_this()] {
      self->reset_conditions();
      return Status();
    });
  }
  queue_group_end(stream, id_, true);
  for (const GraphTaskPtr& task : tasks()) {
    if (task->is_disabled) continue;
    Stream& lane = lane_of(task->stream, stream);
    queue(task, lane, replay, &lane == &stream);
  }
  queue_group_end(stream, id_, false);
  if (tracks_.size() > 1) {
    stream.submit(Weight::kMark, [replay] { return replay->failure(); });
  }
  const auto end = std::make_shared<Mark>();
  queue_record(stream, end);
  last_stream_ = stream.id();
  const std::lock_guard<std::mutex> state_lock(mutex_);
  last_run_ = end;
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

void Graph::reset_conditions() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& condition : conditions_) {
    if (condition->is_reset) condition->store(condition->first);
  }
}

MarkPtr Graph::last_run() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_run_;
}

std::vector<aclrtStream> Graph::stream_handles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<aclrtStream> handles;
  for (const Track& track : tracks_) handles.push_back(track.handle);
  return handles;
}

std::vector<GraphTaskPtr> Graph::tasks() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tasks_;
}

std::vector<GraphTaskPtr> Graph::tasks_of(int32_t stream) const {
  std::vector<GraphTaskPtr> found;
  for (const GraphTaskPtr& task : tasks()) {
    if (task->stream == stream) found.push_back(task);
  }
  return found;
}

bool Graph::has_stream(int32_t stream) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find_track(stream) != nullptr;
}

std::string Graph::name() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return name_;
}

void Graph::set_name(std::string name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  name_ = std::move(name);
}

void Graph::when_destroyed(aclrtCallback function, void* data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  destroyed_.emplace_back(function, data);
}

bool Graph::forget_when_destroyed(aclrtCallback function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(destroyed_.begin(), destroyed_.end(),
                                  [&](const auto& entry) { return entry.first == function; });
  if (found == destroyed_.end()) return false;
  destroyed_.erase(found);
  return true;
}

std::shared_ptr<Graph::Condition> Graph::add_condition(uint32_t first, bool is_reset) {
  auto* value = static_cast<uint64_t*>(allocate(sizeof(uint64_t), 0, MemoryKind::kDevice, device_));
  if (value == nullptr) return nullptr;
  auto condition = std::make_shared<Condition>(value, first, is_reset);
  condition->store(first);
  const std::lock_guard<std::mutex> lock(mutex_);
  conditions_.push_back(condition);
  return condition;
}

}  // namespace aclhost
