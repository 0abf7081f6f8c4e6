// SPDX-License-Identifier: Apache-2.0
// Captures: streams whose tasks become a graph instead of running.
#pragma once

#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/graph.h"

namespace aclhost {

// Tasks of a graph that can be exchanged together.
struct TaskGroup {
  std::weak_ptr<Graph> graph;
  std::vector<GraphTaskPtr> tasks;
};

using TaskGroupTable = HandleTable<TaskGroup, 4>;
TaskGroupTable& task_groups();

class Capture final : public Recorder, public std::enable_shared_from_this<Capture> {
 public:
  Capture(GraphPtr graph, aclmdlRI handle, aclmdlRICaptureMode mode, int32_t origin);
  ~Capture() override;

  void add(int32_t stream, StepPtr step) override;
  // The event stands for this place of the stream from now on.
  void record(int32_t stream, Event& event, aclrtEvent handle);
  // The stream goes on when it gets to the place that the event stands for.
  void wait(int32_t stream, Event& event, aclrtEvent handle, int edge);
  void join(const Stream& stream, aclrtStream handle);

  bool begin_group(int32_t stream);        // false: there is one already
  aclrtTaskGrp end_group(int32_t stream);  // null: there is none
  bool has_group();

  // Takes back every stream; later calls find no capture.
  void end();
  bool is_active() const { return is_active_; }

  const GraphPtr graph;
  const aclmdlRI handle;
  const aclmdlRICaptureMode mode;
  const int32_t origin;
  const pthread_t thread;
  std::atomic<bool> is_invalid{false};

 private:
  std::atomic<bool> is_active_{true};
  std::mutex mutex_;
  std::vector<int32_t> streams_;
  std::map<int32_t, std::shared_ptr<TaskGroup>> groups_;  // that are open, by stream
};

using CapturePtr = std::shared_ptr<Capture>;

// The capture that a stream takes part in; null if none.
CapturePtr capture_of(const Stream& stream);
// The one in which an event was recorded last, if that still goes on.
CapturePtr capture_of(Event& event, int* edge);

// A stream that is gone takes part in nothing.
void forget_recorder(int32_t stream);

// 0, or 107027, reported: the call does not go with a stream that is captured.
int32_t refuse_captured(const Call& call, const Stream& stream);
// The same for all streams of a context, and 107028 for an event.
int32_t refuse_captures_of(const Call& call, uint64_t context_id);
int32_t refuse_captured(const Call& call, Event& event);
// 0, or 107030, reported: a call that captures forbid, by their modes and by that of the thread.
int32_t refuse_unsafe(const Call& call, int32_t code = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);

// What aclmdlRICaptureThreadExchangeMode does.
aclmdlRICaptureMode exchange_mode(aclmdlRICaptureMode mode);

// Makes the rules of the capture known to refuse_unsafe, or ends that.
void note_capture(const CapturePtr& capture, uint64_t context_id);
void end_capture(const CapturePtr& capture);

}  // namespace aclhost
