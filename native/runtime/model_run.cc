// SPDX-License-Identifier: Apache-2.0
#include "runtime/model_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "base/observer.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

Status failed(int32_t code, const char* rule, const std::string& what) {
  return Status::failed({code, "modelRI", rule, "aclmdlRIExecuteAsync: " + what});
}

// A place in a lane that others wait for, as observers see it.
MarkPtr mark_here(int32_t lane) {
  auto mark = std::make_shared<Mark>();
  observe([&](Observer& o) {
    o.recorded(mark->id(), lane);
    o.reached(mark->id(), lane);
  });
  return mark;
}

void come_behind(const MarkPtr& mark, int32_t lane) {
  observe([&](Observer& o) {
    o.awaits(mark->id(), lane);
    o.passed(mark->id(), lane);
  });
}

}  // namespace

// What the stream has to do that runs the model. It alone keeps the model and the lanes: who ends
// them waits for the lanes, which a task of a lane cannot.
struct ModelRun::Waiting {
  std::shared_ptr<ModelRun> run;
  ModelPtr model;
  std::vector<std::shared_ptr<Stream>> lanes;
  int32_t stream;

  Status operator()() const { return run->run(stream); }
  bool touches(const MemoryRange& range) const {
    for (const auto& [id, program] : run->programs_) {
      for (const GraphTaskPtr& task : program.tasks) {
        if (task->step()->touches(range)) return true;
      }
    }
    return false;
  }
};

// However a lane ends, the run must not wait for it for ever.
struct ModelRun::Stopping {
  ModelRun& run;
  const int32_t stream;
  bool releases = true;

  ~Stopping() {
    if (releases) run.release(stream);
    run.stop(stream);
  }
};

size_t ModelRun::Program::place_of(uint32_t task) const {
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const auto& each) { return each->id >= task; });
  return static_cast<size_t>(found - tasks.begin());
}

ModelRun::ModelRun(const Model& model) : model_(model), asked_(frees()) {}

void ModelRun::add(int32_t stream, std::shared_ptr<Stream> lane, std::vector<GraphTaskPtr> tasks,
                   bool is_head) {
  programs_[stream] = {lane.get(), std::move(tasks), is_head};
  lanes_.push_back(std::move(lane));
}

void ModelRun::queue(Stream& stream, const ModelPtr& model) {
  queue_record(stream, begin_);
  observe([&](Observer& o) { o.awaits(over_->id(), stream.id()); });
  stream.submit(Weight::kWaiting,
                Waiting{shared_from_this(), model, std::move(lanes_), stream.id()});
}

Status ModelRun::run(int32_t stream) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    active_ = 1;  // this stream, until all heads are on their way
    is_aborted_ = TaskQueue::is_dropped_here();
  }
  for (const auto& [id, program] : programs_) {
    if (program.is_head) activate(id, 0, begin_);
  }
  stop(Jump::kNowhere);
  if (!over_->wait(Stream::kForever)) abort();  // as the stream that runs the model is
  observe([&](Observer& o) { o.passed(over_->id(), stream); });
  return outcome();
}

bool ModelRun::begin(Program& program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (program.is_active) return false;
  program.is_active = true;
  ++active_;
  return true;
}

// The stream begins with the first of its tasks from this one on, behind the mark.
void ModelRun::activate(int32_t stream, uint32_t task, const MarkPtr& after) {
  const auto found = programs_.find(stream);
  if (found == programs_.end()) {
    return keep(failed(ACL_ERROR_RT_MODEL_EXECUTE, "bound_stream",
                       "stream " + std::to_string(stream) +
                           " is to begin, but it is no longer bound to the model"));
  }
  if (!begin(found->second)) {
    return keep(failed(ACL_ERROR_RT_MODEL_EXECUTE, "inactive_stream",
                       "stream " + std::to_string(stream) +
                           " is to begin, but it has not stopped since it began"));
  }
  found->second.lane->submit(Weight::kWaiting, [self = shared_from_this(), stream, task, after] {
    self->go(stream, task, after);
    return Status();
  });
}

void ModelRun::go(int32_t stream, uint32_t task, const MarkPtr& after) {
  Stopping stopping{*this, stream};
  const Program& program = programs_.at(stream);
  const int32_t lane = program.lane->id();
  come_behind(after, lane);
  bool goes_on = true;
  size_t place = program.place_of(task);
  while (goes_on && place < program.tasks.size() && !is_aborted_) {
    const GraphTask& next = *program.tasks[place++];
    if (next.is_disabled) continue;
    const StepPtr step = next.step();
    step->announce(*program.lane);
    Status status = step->run(lane, asked_);
    const auto* control = dynamic_cast<const ControlStep*>(step.get());
    if (control != nullptr && status.ok()) {
      Jump jump;
      status = control->decide(model_, &jump);
      goes_on = stopping.releases = follow(jump, stream, &place);
    }
    keep(std::move(status));
  }
}

bool ModelRun::follow(const Jump& jump, int32_t stream, size_t* place) {
  if (jump.ends) has_ended_ = true;
  if (jump.stream == Jump::kNowhere) return true;
  const Program& program = programs_.at(stream);
  if (jump.stops && jump.stream == stream) {
    *place = program.place_of(jump.task);
    return true;
  }
  const MarkPtr after = mark_here(program.lane->id());
  // Who has nothing left to do has stopped before the other one begins, which may come back here.
  const bool stops = jump.stops || (*place == program.tasks.size() && jump.stream != stream);
  if (stops) release(stream);
  activate(jump.stream, jump.task, after);
  return !stops;
}

void ModelRun::release(int32_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  programs_.at(stream).is_active = false;
}

void ModelRun::stop(int32_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream != Jump::kNowhere) {
    last_lane_ = programs_.at(stream).lane->id();
    if (last_ != nullptr) come_behind(last_, last_lane_);
    last_ = mark_here(last_lane_);
  }
  if (--active_ != 0) return;
  observe([&](Observer& o) {
    o.recorded(over_->id(), last_lane_);
    o.reached(over_->id(), last_lane_);
  });
  over_->reach();
}

void ModelRun::abort() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (active_ == 0) return;
    is_aborted_ = true;
    // Streams that stop later stay, because this one does not return before.
    for (const auto& [id, program] : programs_) program.lane->interrupt();
  }
  over_->wait_whole();
}

void ModelRun::keep(Status status) {
  if (status.ok() || is_aborted_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (first_failure_.ok()) first_failure_ = std::move(status);
}

Status ModelRun::outcome() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_aborted_) {
    return failed(ACL_ERROR_RT_MODEL_ABORT_NORMAL, "aborted", "aclmdlRIAbort has ended the run");
  }
  if (!first_failure_.ok() || has_ended_) return first_failure_;
  return failed(ACL_ERROR_RT_MODEL_EXECUTE, "end_task",
                "all streams of the model have stopped, and none has reached the task of "
                "aclmdlRIEndTask; a card would wait for ever");
}

}  // namespace aclhost
