// SPDX-License-Identifier: Apache-2.0
#include "runtime/capture.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/immortal.h"
#include "runtime/context.h"

namespace aclhost {
namespace {

Immortal<TaskGroupTable> all_groups;

struct Captures {
  std::mutex mutex;
  std::vector<std::pair<std::weak_ptr<Capture>, uint64_t>> active;  // with their contexts
};

Immortal<Captures> captures;

thread_local aclmdlRICaptureMode thread_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

constexpr int kNone = ACL_MODEL_RI_CAPTURE_MODE_RELAXED + 1;

// The strictest modes of captures in a context: of all, and of those that this thread began.
struct Strictest {
  int of_all = kNone;
  int of_thread = kNone;
};

Strictest strictest_of(uint64_t context_id) {
  Strictest found;
  const std::lock_guard<std::mutex> lock(captures->mutex);
  for (const auto& [weak, context] : captures->active) {
    const CapturePtr capture = weak.lock();
    if (capture == nullptr || context != context_id) continue;
    const int mode = capture->mode;
    found.of_all = std::min(found.of_all, mode);
    if (pthread_equal(capture->thread, pthread_self()) != 0) {
      found.of_thread = std::min(found.of_thread, mode);
    }
  }
  return found;
}

bool is_allowed(const Strictest& modes) {
  if (modes.of_all == kNone || thread_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return true;
  if (thread_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) {
    return modes.of_all != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
           modes.of_thread != ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
  }
  return modes.of_thread != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
         modes.of_thread != ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
}

bool any_capture() { return recorded_streams.load(std::memory_order_acquire) != 0; }

// Records and waits inside a graph are marks of each run; there is nothing to run.
StepPtr edge_step(TaskKind kind, const char* call) {
  const auto nothing = [](int32_t) { return Status(); };
  return std::make_shared<const PlainStep<decltype(nothing)>>(kind, Weight::kMark, call, nothing);
}

}  // namespace

TaskGroupTable& task_groups() { return *all_groups; }

Capture::Capture(GraphPtr captured, aclmdlRI graph_handle, aclmdlRICaptureMode capture_mode,
                 int32_t origin_stream)
    : graph(std::move(captured)),
      handle(graph_handle),
      mode(capture_mode),
      origin(origin_stream),
      thread(pthread_self()) {}

Capture::~Capture() = default;

void Capture::add(int32_t stream, StepPtr step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const GraphTaskPtr task = graph->add(stream, std::move(step));
  const auto group = groups_.find(stream);
  if (group != groups_.end()) group->second->tasks.push_back(task);
}

void Capture::record(int32_t stream, Event& event, aclrtEvent event_handle) {
  const int edge = graph->new_edge();
  const GraphTaskPtr task =
      graph->add(stream, edge_step(TaskKind::kRecord, "aclrtRecordEvent"), edge);
  task->event = event_handle;
  task->event_flags = event.flags();
  event.set_captured(weak_from_this(), edge);
}

void Capture::wait(int32_t stream, Event& event, aclrtEvent event_handle, int edge) {
  const GraphTaskPtr task =
      graph->add(stream, edge_step(TaskKind::kWait, "aclrtStreamWaitEvent"), edge);
  task->event = event_handle;
  task->event_flags = event.flags();
}

void Capture::join(const Stream& stream, aclrtStream stream_handle) {
  graph->add_stream(stream.id(), stream_handle);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams_.push_back(stream.id());
  }
  set_recorder(stream.id(), shared_from_this());
}

bool Capture::begin_group(int32_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto group = std::make_shared<TaskGroup>();
  group->graph = graph;
  return groups_.emplace(stream, group).second;
}

aclrtTaskGrp Capture::end_group(int32_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = groups_.find(stream);
  if (found == groups_.end()) return nullptr;
  const std::shared_ptr<TaskGroup> group = found->second;
  groups_.erase(found);
  const aclrtTaskGrp ended = task_groups().add(group);
  for (const GraphTaskPtr& task : group->tasks) task->group = ended;
  graph->keep_group(ended);
  return ended;
}

bool Capture::has_group() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !groups_.empty();
}

void Capture::end() {
  is_active_ = false;
  std::vector<int32_t> streams;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams.swap(streams_);
  }
  for (const int32_t stream : streams) clear_recorder(stream);
}

CapturePtr capture_of(const Stream& stream) {
  if (!any_capture()) return nullptr;
  return std::dynamic_pointer_cast<Capture>(recorder_of(stream.id()));
}

CapturePtr capture_of(Event& event, int* edge) {
  if (!any_capture()) return nullptr;
  const CapturePtr capture = event.captured(edge);
  return capture != nullptr && capture->is_active() ? capture : nullptr;
}

void forget_recorder(int32_t stream) {
  if (!any_capture()) return;
  const auto capture = std::dynamic_pointer_cast<Capture>(recorder_of(stream));
  if (capture == nullptr) return clear_recorder(stream);
  if (capture->origin != stream) {
    capture->is_invalid = true;
    return clear_recorder(stream);
  }
  end_capture(capture);
  graphs().remove(capture->handle);
}

int32_t refuse_captured(const Call& call, const Stream& stream) {
  if (capture_of(stream) == nullptr) return ACL_SUCCESS;
  return call.fail(
      ACL_ERROR_RT_STREAM_CAPTURED, "stream",
      std::to_string(stream.id()) +
          " is being captured, so its tasks do not run; call aclmdlRICaptureEnd first");
}

int32_t refuse_captures_of(const Call& call, uint64_t context_id) {
  if (!any_capture() || strictest_of(context_id).of_all == kNone) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_STREAM_CAPTURED, "",
                   "a stream of this context is being captured, so its tasks do not run; call "
                   "aclmdlRICaptureEnd first");
}

int32_t refuse_captured(const Call& call, Event& event) {
  int edge = kNoEdge;
  if (capture_of(event, &edge) == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_EVENT_CAPTURED, "event",
                   "was recorded in a stream that is being captured, so it never happens; call "
                   "aclmdlRICaptureEnd first");
}

int32_t refuse_unsafe(const Call& call, int32_t code) {
  if (!any_capture()) return ACL_SUCCESS;
  const ContextRef context = current_context();
  if (!context || is_allowed(strictest_of(context->id()))) return ACL_SUCCESS;
  return call.fail(code, "",
                   "a capture is going on whose mode forbids what does not wait for streams; call "
                   "aclmdlRICaptureThreadExchangeMode with ACL_MODEL_RI_CAPTURE_MODE_RELAXED "
                   "around this call, or capture in that mode");
}

aclmdlRICaptureMode exchange_mode(aclmdlRICaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

void note_capture(const CapturePtr& capture, uint64_t context_id) {
  const std::lock_guard<std::mutex> lock(captures->mutex);
  captures->active.emplace_back(capture, context_id);
}

void end_capture(const CapturePtr& capture) {
  capture->end();
  const std::lock_guard<std::mutex> lock(captures->mutex);
  auto& active = captures->active;
  active.erase(std::remove_if(active.begin(), active.end(),
                              [&](const auto& entry) {
                                const CapturePtr other = entry.first.lock();
                                return other == nullptr || other == capture;
                              }),
               active.end());
}

}  // namespace aclhost
