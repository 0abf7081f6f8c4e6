// SPDX-License-Identifier: Apache-2.0
#include "runtime/model.h"

#include <utility>

#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/model_run.h"

namespace aclhost {
namespace {

// Keeps the tasks of a bound stream. The stream does not keep the model.
class Building final : public Recorder {
 public:
  explicit Building(std::weak_ptr<Model> built) : model(std::move(built)) {}

  void add(int32_t stream, StepPtr step) override {
    if (const ModelPtr found = model.lock()) found->take(stream, std::move(step));
  }

  const std::weak_ptr<Model> model;
};

class EndStep final : public ControlStep {
 public:
  EndStep() : ControlStep("aclmdlRIEndTask", {}) {}
  Status decide(const Model&, Jump* jump) const override {
    jump->ends = true;
    return {};
  }
};

}  // namespace

ModelPtr model_of(const Stream& stream) {
  if (recorded_streams.load(std::memory_order_acquire) == 0) return nullptr;
  const auto building = std::dynamic_pointer_cast<Building>(recorder_of(stream.id()));
  return building == nullptr ? nullptr : building->model.lock();
}

int32_t not_bound(const Call& call, const char* parameter) {
  return call.fail(ACL_ERROR_RT_STREAM_MODEL, parameter,
                   "is not bound to a model; call aclmdlRIBindStream first");
}

int32_t refuse_bound(const Call& call, const Stream& stream) {
  if (model_of(stream) == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_STREAM_MODEL, "stream",
                   std::to_string(stream.id()) +
                       " is bound to a model; call aclmdlRIUnbindStream or aclmdlRIDestroy first");
}

void Model::bind(const Stream& stream, aclrtStream handle, bool is_head) {
  add_stream(stream.id(), handle);
  {
    const std::lock_guard<std::mutex> lock(bound_mutex_);
    bound_[stream.id()].is_head = is_head;
  }
  set_recorder(stream.id(), std::make_shared<Building>(self()));
  when_closed([weak = std::weak_ptr<Model>(self()), id = stream.id()] {
    if (const ModelPtr model = weak.lock()) model->unbind(id);
  });
}

void Model::unbind(int32_t stream) {
  {
    const std::lock_guard<std::mutex> lock(bound_mutex_);
    const auto found = bound_.find(stream);
    if (found == bound_.end()) return;
    bound_.erase(found);
  }
  remove_stream(stream);
  clear_recorder(stream);
}

bool Model::has_head() const {
  const std::lock_guard<std::mutex> lock(bound_mutex_);
  for (const auto& [stream, bound] : bound_) {
    if (bound.is_head) return true;
  }
  return false;
}

GraphTaskPtr Model::take(int32_t stream, StepPtr step) {
  if (state == State::kReady) is_spoiled_ = true;
  return add(stream, std::move(step));
}

bool Model::take_end(int32_t stream) {
  if (has_end_.exchange(true)) return false;
  take(stream, std::make_shared<const EndStep>());
  return true;
}

void Model::abort() {
  std::shared_ptr<ModelRun> run;
  {
    const std::lock_guard<std::mutex> lock(bound_mutex_);
    run = run_.lock();
  }
  if (run != nullptr) run->abort();
}

void Model::queue_tasks(Stream& stream) {
  const auto run = std::make_shared<ModelRun>(*this);
  {
    const std::lock_guard<std::mutex> lock(bound_mutex_);
    for (auto& [id, bound] : bound_) {
      if (bound.lane == nullptr) bound.lane = std::make_shared<Stream>(device(), context_id());
      run->add(id, bound.lane, tasks_of(id), bound.is_head);
    }
    run_ = run;
  }
  run->queue(stream, self());
}

}  // namespace aclhost
