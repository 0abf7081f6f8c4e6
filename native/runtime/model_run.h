// SPDX-License-Identifier: Apache-2.0
// One run of a model: which of its streams go on, and what is left when all have stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/event.h"
#include "runtime/model.h"
#include "runtime/stream.h"

namespace aclhost {

class ModelRun : public std::enable_shared_from_this<ModelRun> {
 public:
  explicit ModelRun(const Model& model);

  // A stream of the model, and the one that runs its tasks.
  void add(int32_t stream, std::shared_ptr<Stream> lane, std::vector<GraphTaskPtr> tasks,
           bool is_head);
  // The stream runs the model when it gets there, and goes on when it has run.
  void queue(Stream& stream, const ModelPtr& model);
  // No further task begins; waits for those under way. Nothing, unless the run is under way.
  void abort();

 private:
  struct Program {
    Stream* lane;
    std::vector<GraphTaskPtr> tasks;
    bool is_head;
    bool is_active = false;

    // Of the first task from this one on.
    size_t place_of(uint32_t task) const;
  };
  struct Waiting;
  struct Stopping;

  Status run(int32_t stream);
  bool begin(Program& program);  // false: it has begun already
  void activate(int32_t stream, uint32_t task, const MarkPtr& after);
  void go(int32_t stream, uint32_t task, const MarkPtr& after);
  // Whether the stream goes on, at this place.
  bool follow(const Jump& jump, int32_t stream, size_t* place);
  void release(int32_t stream);  // it may be activated again
  void stop(int32_t stream);
  void keep(Status status);
  Status outcome();

  const Model& model_;
  const uint64_t asked_;
  const MarkPtr begin_ = std::make_shared<Mark>();
  const MarkPtr over_ = std::make_shared<Mark>();
  std::vector<std::shared_ptr<Stream>> lanes_;  // until the run is queued
  std::map<int32_t, Program> programs_;
  std::mutex mutex_;
  int active_ = 0;
  MarkPtr last_;  // behind all that streams that have stopped did
  int32_t last_lane_ = Jump::kNowhere;
  std::atomic<bool> is_aborted_{false};
  std::atomic<bool> has_ended_{false};  // the task of aclmdlRIEndTask was reached
  Status first_failure_;
};

}  // namespace aclhost
