// SPDX-License-Identifier: Apache-2.0
// Graphs (upstream: running instances of models): tasks of one or several streams, kept in order,
// and run as often as the program likes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/event.h"
#include "runtime/handle_table.h"
#include "runtime/recorder.h"

namespace aclhost {

constexpr int kNoEdge = -1;

// One task of a graph. Its step can be exchanged, also between the queuing and the run of a replay.
class GraphTask {
 public:
  GraphTask(uint32_t number, int32_t on_stream, StepPtr step)
      : id(number), stream(on_stream), step_(std::move(step)) {}

  StepPtr step() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return step_;
  }
  void replace(StepPtr step) {
    const std::lock_guard<std::mutex> lock(mutex_);
    step_ = std::move(step);
  }

  const uint32_t id;           // counted from 0 in its graph
  const int32_t stream;        // that it was given to
  int edge = kNoEdge;          // of a record or a wait inside the graph
  aclrtEvent event = nullptr;  // of records and waits
  uint32_t event_flags = 0;    // of that event
  aclrtTaskGrp group = nullptr;
  std::atomic<bool> is_disabled{false};
  std::atomic<void*> handle{nullptr};  // once the program asked for it

  // What the program has to say about the task.
  std::string note() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return note_;
  }
  void set_note(std::string note) {
    const std::lock_guard<std::mutex> lock(mutex_);
    note_ = std::move(note);
  }

 private:
  mutable std::mutex mutex_;
  StepPtr step_;
  std::string note_;
};

using GraphTaskPtr = std::shared_ptr<GraphTask>;

// The calling thread has given a task to a graph.
void note_graph_task(const GraphTaskPtr& task);

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  enum class State { kOpen, kReady };

  Graph(int32_t device, uint64_t context_id);
  virtual ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  uint32_t id() const { return id_; }
  int32_t device() const { return device_; }
  uint64_t context_id() const { return context_id_; }

  // The stream that runs the graph takes the place of the first one.
  void add_stream(int32_t id, aclrtStream handle);
  void remove_stream(int32_t id);
  GraphTaskPtr add(int32_t stream, StepPtr step, int edge = kNoEdge);
  int new_edge();
  // Whether the first stream has awaited, by events, all that the others do.
  bool is_joined() const;
  void keep_group(aclrtTaskGrp group);
  // Ends what can be asked of tasks and groups, and runs the functions that were registered for it.
  void close();

  // Queues all tasks; each run comes after the run before.
  void replay(Stream& stream);
  // Runs all tasks now, in the order they were given; for graphs inside of graphs.
  Status run_here(int32_t stream);
  MarkPtr last_run() const;

  std::vector<aclrtStream> stream_handles() const;
  std::vector<GraphTaskPtr> tasks() const;
  std::vector<GraphTaskPtr> tasks_of(int32_t stream) const;
  bool has_stream(int32_t stream) const;

  std::string name() const;
  void set_name(std::string name);

  void when_destroyed(aclrtCallback function, void* data);
  bool forget_when_destroyed(aclrtCallback function);

  // A number in device memory that conditional tasks look at.
  struct Condition {
    Condition(uint64_t* place, uint64_t first_value, bool resets)
        : value(place), first(first_value), is_reset(resets) {}
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;
    uint64_t load() const;
    void store(uint64_t number) const;

    uint64_t* const value;
    const uint64_t first;
    const bool is_reset;  // to the first value by every run
  };
  std::shared_ptr<Condition> add_condition(uint32_t first, bool is_reset);
  void keep_inner(aclmdlRI graph);
  void when_closed(std::function<void()> action);

  bool is_captured() const { return state == State::kOpen && !is_built; }

  std::atomic<State> state{State::kOpen};
  std::atomic<bool> is_built{false};  // from streams that were bound to it
  std::atomic<bool> is_inner{false};  // runs as part of another graph only

 protected:
  // What a run gives to the stream that runs the graph.
  virtual void queue_tasks(Stream& stream);

 private:
  struct Track {
    int32_t stream;
    aclrtStream handle;
    std::unique_ptr<Stream> lane;  // of all but the first; made by the first run
  };
  struct Replay;
  struct ReplayTask;

  const Track* find_track(int32_t stream) const;
  Stream& lane_of(int32_t stream, Stream& running);
  void queue(const GraphTaskPtr& task, Stream& lane, const std::shared_ptr<Replay>& replay,
             bool is_first);
  void reset_conditions();

  const uint32_t id_;
  const int32_t device_;
  const uint64_t context_id_;
  std::mutex running_;  // one run is queued at a time; guards lanes and the last run's stream
  mutable std::mutex mutex_;
  std::string name_;
  std::vector<Track> tracks_;
  std::vector<GraphTaskPtr> tasks_;
  std::vector<aclrtTaskGrp> groups_;
  int edges_ = 0;
  MarkPtr last_run_;
  int32_t last_stream_ = -1;
  std::vector<std::pair<aclrtCallback, void*>> destroyed_;
  std::vector<std::shared_ptr<Condition>> conditions_;
  std::vector<aclmdlRI> inner_;
  std::vector<std::function<void()>> closing_;
};

using GraphPtr = std::shared_ptr<Graph>;
using GraphTable = HandleTable<Graph, 2>;
using GraphTaskTable = HandleTable<GraphTask, 3>;

GraphTable& graphs();
GraphTaskTable& graph_tasks();

// The failure of a handle that is none.
int32_t no_graph(const Call& call, aclmdlRI graph);

// Queue a record and a wait of a mark, and tell observers.
void queue_record(Stream& stream, const MarkPtr& mark);
void queue_wait(Stream& stream, const MarkPtr& mark);

}  // namespace aclhost
