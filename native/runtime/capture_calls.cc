// SPDX-License-Identifier: Apache-2.0
// The C functions that capture tasks of streams into graphs, and exchange captured tasks.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

constexpr uint32_t kNotCaptured =
    ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

int32_t check_mode(const Call& call, aclmdlRICaptureMode mode) {
  const int number = static_cast<int>(mode);
  if (number >= 0 && number <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "mode",
                   "is " + std::to_string(number) +
                       "; pass ACL_MODEL_RI_CAPTURE_MODE_GLOBAL (0), THREAD_LOCAL (1) or "
                       "RELAXED (2)");
}

int32_t not_captured(const Call& call) {
  return call.fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream",
                   "is not being captured; call aclmdlRICaptureBegin first");
}

int32_t check_origin(const Call& call, const Stream& stream, aclrtStream handle,
                     aclmdlRICaptureMode mode) {
  if (const int32_t code = check_mode(call, mode)) return code;
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (context->default_stream() == handle) {
    return call.fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "stream",
                     "is the default stream, which cannot be captured; create another one");
  }
  if ((stream.config().flags & kNotCaptured) != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stream",
                     "has flags of a kind that cannot be captured");
  }
  return refuse_captured(call, stream);
}

void begin(const Stream& stream, aclrtStream handle, GraphPtr graph, aclmdlRI graph_handle,
           aclmdlRICaptureMode mode) {
  const auto capture = std::make_shared<Capture>(graph, graph_handle, mode, stream.id());
  note_capture(capture, stream.context_id());
  capture->join(stream, handle);
}

// 0 and the capture that a stream began, or the reported failure.
int32_t find_own_capture(const Call& call, const Stream& stream, CapturePtr* capture) {
  *capture = capture_of(stream);
  if (*capture == nullptr) return not_captured(call);
  if ((*capture)->origin == stream.id()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "stream",
                   "joined the capture by an event; end it with the stream that began it");
}

// Why a capture does not become a graph; 0 if it does.
int32_t check_end(const Call& call, Capture& capture) {
  if (capture.mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
      pthread_equal(capture.thread, pthread_self()) == 0) {
    return call.fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "stream",
                     "was captured by another thread; end the capture there, or begin it with "
                     "ACL_MODEL_RI_CAPTURE_MODE_RELAXED");
  }
  if (capture.is_invalid) {
    return call.fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "stream",
                     "was captured in vain: an earlier call failed in a way that ended it");
  }
  if (capture.has_group()) {
    return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                     "has a group of tasks that is open; call aclmdlRICaptureTaskGrpEnd first");
  }
  if (!capture.graph->is_joined()) {
    return call.fail(ACL_ERROR_RT_STREAM_UNJOINED, "stream",
                     "has not awaited all tasks of the streams that joined the capture; let it "
                     "wait for an event that is recorded behind their last tasks");
  }
  return ACL_SUCCESS;
}

int32_t end(const Call& call, const Stream& stream, aclmdlRI* result) {
  CapturePtr capture;
  if (const int32_t code = find_own_capture(call, stream, &capture)) return code;
  const int32_t code = check_end(call, *capture);
  end_capture(capture);
  if (code != ACL_SUCCESS) {
    if (!capture->graph->is_inner) graphs().remove(capture->handle);
    return code;
  }
  capture->graph->state = Graph::State::kReady;
  if (result != nullptr) *result = capture->handle;
  return ACL_SUCCESS;
}

// New tasks for those of a group, taken over when the stream gets to the end of the update.
class Update final : public Recorder {
 public:
  explicit Update(std::shared_ptr<TaskGroup> updated) : group(std::move(updated)) {}

  void add(int32_t, StepPtr step) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    steps_.push_back(std::move(step));
  }
  bool fits() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (steps_.size() != group->tasks.size()) return false;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i]->kind != group->tasks[i]->step()->kind) return false;
    }
    return true;
  }
  void apply() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < steps_.size(); ++i) group->tasks[i]->replace(steps_[i]);
  }

  const std::shared_ptr<TaskGroup> group;

 private:
  std::mutex mutex_;
  std::vector<StepPtr> steps_;
};

int32_t begin_update(const Call& call, const Stream& stream, aclrtTaskGrp handle) {
  if (const int32_t code = refuse_captured(call, stream)) return code;
  const std::shared_ptr<TaskGroup> group = task_groups().find(handle);
  if (group == nullptr) {
    return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "handle",
                     hex(handle) + " is no group of tasks; its graph may have been destroyed");
  }
  if (recorder_of(stream.id()) != nullptr) {
    return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                     "updates tasks already; call aclmdlRICaptureTaskUpdateEnd first");
  }
  set_recorder(stream.id(), std::make_shared<Update>(group));
  return ACL_SUCCESS;
}

int32_t end_update(const Call& call, Stream& stream) {
  if (const int32_t code = refuse_captured(call, stream)) return code;
  const auto update = std::dynamic_pointer_cast<Update>(recorder_of(stream.id()));
  if (update == nullptr) {
    return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                     "updates no tasks; call aclmdlRICaptureTaskUpdateBegin first");
  }
  clear_recorder(stream.id());
  if (!update->fits()) {
    return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                     "got other tasks than the group has: their number and their kinds must be "
                     "those between aclmdlRICaptureTaskGrpBegin and End");
  }
  stream.submit(Weight::kSmall, [update] {
    update->apply();
    return Status();
  });
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return with_given_stream("aclmdlRICaptureBegin", stream, [&](const Call& call, Stream& found) {
    if (const int32_t code = check_origin(call, found, stream, mode)) return code;
    const auto graph = std::make_shared<Graph>(found.device(), found.context_id());
    begin(found, stream, graph, graphs().add(graph), mode);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                                  aclmdlRICaptureMode mode) {
  return with_given_stream(
      "aclmdlRICaptureToModelRIBegin", stream, [&](const Call& call, Stream& found) -> int32_t {
        if (modelRI == nullptr) return call.null("modelRI");
        const GraphPtr graph = graphs().find(modelRI);
        if (graph == nullptr) return no_graph(call, modelRI);
        if (!graph->is_inner) {
          return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI",
                           "is not a graph inside of another one; pass one of aclmdlRIAddCondTask");
        }
        if (const int32_t code = check_origin(call, found, stream, mode)) return code;
        if (graph->state == Graph::State::kReady || !graph->stream_handles().empty()) {
          return call.fail(ACL_ERROR_RT_MODEL_CAPTURED, "modelRI", "has been captured already");
        }
        begin(found, stream, graph, modelRI, mode);
        return ACL_SUCCESS;
      });
}

extern "C" aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                           aclmdlRI* modelRI) {
  return with_given_stream("aclmdlRICaptureGetInfo", stream, [&](const Call& call, Stream& found) {
    if (status == nullptr && modelRI == nullptr) return call.null("status");
    const CapturePtr capture = capture_of(found);
    if (status != nullptr) {
      *status = capture == nullptr    ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                : capture->is_invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
                                      : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    }
    if (modelRI != nullptr) *modelRI = capture == nullptr ? nullptr : capture->handle;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return with_given_stream("aclmdlRICaptureEnd", stream, [&](const Call& call, Stream& found) {
    return end(call, found, modelRI);
  });
}

extern "C" aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return acl_call("aclmdlRICaptureThreadExchangeMode", [&](const Call& call) {
    if (mode == nullptr) return call.null("mode");
    if (const int32_t code = check_mode(call, *mode)) return code;
    *mode = exchange_mode(*mode);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
  return with_given_stream(
      "aclmdlRICaptureTaskGrpBegin", stream, [](const Call& call, Stream& found) {
        const CapturePtr capture = capture_of(found);
        if (capture == nullptr) return not_captured(call);
        if (capture->begin_group(found.id())) return ACL_SUCCESS;
        return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                         "has an open group already; call aclmdlRICaptureTaskGrpEnd first");
      });
}

extern "C" aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
  return with_given_stream(
      "aclmdlRICaptureTaskGrpEnd", stream, [&](const Call& call, Stream& found) {
        if (handle == nullptr) return call.null("handle");
        const CapturePtr capture = capture_of(found);
        if (capture == nullptr) return not_captured(call);
        const aclrtTaskGrp group = capture->end_group(found.id());
        if (group == nullptr) {
          return call.fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream",
                           "has no open group; call aclmdlRICaptureTaskGrpBegin first");
        }
        *handle = group;
        return ACL_SUCCESS;
      });
}

extern "C" aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
  return with_given_stream("aclmdlRICaptureTaskUpdateBegin", stream,
                           [&](const Call& call, const Stream& found) -> int32_t {
                             if (handle == nullptr) return call.null("handle");
                             return begin_update(call, found, handle);
                           });
}

extern "C" aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream) {
  return with_given_stream("aclmdlRICaptureTaskUpdateEnd", stream,
                           [](const Call& call, Stream& found) { return end_update(call, found); });
}
