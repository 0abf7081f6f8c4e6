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

}  // namespace

GraphTable& graphs() { return *all_graphs; }
GraphTaskTable& graph_tasks() { return *all_tasks; }

int32_t no_graph(const Call& call, aclmdlRI graph) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "modelRI",
                   hex(graph) +
                       " is not a graph of aclmdlRICaptureEnd or aclmdlRIBuildBegin; it may have "
                       "been destroyed");
}

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

void Graph::remove_stream(int32_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tracks_.erase(std::remove_if(tracks_.begin(), tracks_.end(),
                               [&](const Track& track) { return track.stream == id; }),
                tracks_.end());
}

GraphTaskPtr Graph::add(int32_t stream, StepPtr step, int edge) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = static_cast<uint32_t>(tasks_.size());
  tasks_.push_back(std::make_shared<GraphTask>(number, stream, std::move(step)));
  tasks_.back()->edge = edge;
  note_graph_task(tasks_.back());
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
