// SPDX-License-Identifier: Apache-2.0
// Models: graphs of streams that were bound to them. Their streams decide while they run which of
// them go on, and from where.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/graph.h"

namespace aclhost {

class ModelRun;

class Model final : public Graph {
 public:
  using Graph::Graph;

  std::shared_ptr<Model> self() { return std::static_pointer_cast<Model>(shared_from_this()); }

  // The tasks of the stream are kept from now on. A head begins with each run, others when a task
  // of the model says so.
  void bind(const Stream& stream, aclrtStream handle, bool is_head);
  void unbind(int32_t stream);
  bool has_head() const;

  // A task of a stream that is bound.
  GraphTaskPtr take(int32_t stream, StepPtr step);
  // The task whose run ends that of the model. False if there is one.
  bool take_end(int32_t stream);
  bool has_end() const { return has_end_; }
  // Tasks came when the model was complete already.
  bool is_spoiled() const { return is_spoiled_; }

  // Ends the run that is under way, if any, and waits for that.
  void abort();

 protected:
  void queue_tasks(Stream& stream) override;

 private:
  struct Bound {
    bool is_head = false;
    std::shared_ptr<Stream> lane;  // that runs its tasks; made by the first run
  };

  mutable std::mutex bound_mutex_;
  std::map<int32_t, Bound> bound_;
  std::weak_ptr<ModelRun> run_;  // the last one
  std::atomic<bool> has_end_{false};
  std::atomic<bool> is_spoiled_{false};
};

using ModelPtr = std::shared_ptr<Model>;

// The model that a stream is bound to; null if none.
ModelPtr model_of(const Stream& stream);
// 107005, reported.
int32_t not_bound(const Call& call, const char* parameter);
// 0, or 107005, reported.
int32_t refuse_bound(const Call& call, const Stream& stream);

// Where a stream of a model goes on.
struct Jump {
  static constexpr int32_t kNowhere = -1;

  int32_t stream = kNowhere;  // that begins
  uint32_t task = 0;          // with this one, or the next behind it
  bool stops = false;         // the stream that has jumped
  bool ends = false;          // the run of the model
};

// A task that decides over the streams of its model.
class ControlStep : public Step {
 public:
  ControlStep(const char* call, std::vector<Region> regions)
      : Step(TaskKind::kOther, Weight::kSmall, Work{call, std::move(regions), ""}) {}

  virtual Status decide(const Model& model, Jump* jump) const = 0;
  Status run(int32_t, uint64_t asked) const override { return check_regions(work, asked); }
  void announce(const Stream& stream) const override {
    observe([&](Observer& o) { o.submitted(work, stream.id(), stream.device()); });
  }
};

}  // namespace aclhost
