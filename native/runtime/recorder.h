// SPDX-License-Identifier: Apache-2.0
// Tasks that a stream was given while somebody keeps them instead of letting them run: a capture,
// a model that is built, an update of captured tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/observer.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace aclhost {

// What programs can ask about a kept task.
enum class TaskKind { kOther, kKernel, kRecord, kWait, kReset, kValueWrite, kValueWait };

// One task apart from any stream, to be run any number of times with the addresses it was given.
class Step {
 public:
  Step(TaskKind step_kind, Weight step_weight, Work step_work)
      : kind(step_kind), weight(step_weight), work(std::move(step_work)) {}
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // `asked` is the time of memory when this run was queued.
  virtual Status run(int32_t stream, uint64_t asked) const = 0;
  // Tells observers that a run was queued.
  virtual void announce(const Stream&) const {}
  virtual bool touches(const MemoryRange&) const { return false; }

  const TaskKind kind;
  const Weight weight;
  const Work work;
};

using StepPtr = std::shared_ptr<const Step>;

// Whether the memory of a kept task is still there; it may be freed between two runs.
Status check_regions(const Work& work, uint64_t asked);

// A task whose memory observers see.
template <typename Body>
class WorkStep final : public Step {
 public:
  WorkStep(TaskKind step_kind, Weight step_weight, Work step_work, Body body)
      : Step(step_kind, step_weight, std::move(step_work)), body_(std::move(body)) {}

  Status run(int32_t stream, uint64_t asked) const override {
    Body body = body_;
    set_stream(body, stream, 0);
    if (!set_time(body, asked, 0)) {
      if (Status status = check_regions(work, asked); !status.ok()) return status;
    }
    observe([&](Observer& o) { o.began(work.call, work.detail, stream); });
    Status status = run_task(body);
    observe([&](Observer& o) { o.ended(work.call, stream); });
    return status;
  }
  void announce(const Stream& stream) const override {
    observe([&](Observer& o) { o.submitted(work, stream.id(), stream.device()); });
  }
  bool touches(const MemoryRange& range) const override { return body_.touches(range); }
  const Body& body() const { return body_; }

 private:
  // Operators look after their memory themselves.
  template <typename Timed>
  static auto set_time(Timed& body, uint64_t asked, int) -> decltype(body.asked, bool()) {
    body.asked = asked;
    return true;
  }
  template <typename Other>
  static bool set_time(Other&, uint64_t, long) {
    return false;
  }

  // Some want to know which stream runs them.
  template <typename Launch>
  static auto set_stream(Launch& body, int32_t stream, int) -> decltype(body.runs_on(stream)) {
    body.runs_on(stream);
  }
  template <typename Other>
  static void set_stream(Other&, int32_t, long) {}

  Body body_;
};

// A task that touches no memory and tells observers itself what it does: Status(int32_t stream).
template <typename Body>
class PlainStep final : public Step {
 public:
  PlainStep(TaskKind step_kind, Weight step_weight, const char* call, Body body)
      : Step(step_kind, step_weight, Work{call, {}, ""}), body_(std::move(body)) {}

  Status run(int32_t stream, uint64_t) const override {
    Body body = body_;
    return run_task([&] { return body(stream); });
  }

 private:
  Body body_;
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void add(int32_t stream, StepPtr step) = 0;
};

extern std::atomic<int> recorded_streams;

// Null if the stream's tasks run.
std::shared_ptr<Recorder> recorder_of(int32_t stream);
void set_recorder(int32_t stream, std::shared_ptr<Recorder> recorder);
void clear_recorder(int32_t stream);

// The calling thread has given a task to a stream. Numbers count the tasks of the thread; those of
// graphs are theirs (see task_notes.cc).
void note_task();

// Gives what `make` returns to the stream's recorder; false if there is none.
template <typename Make>
bool is_recorded(const Stream& stream, Make&& make) {
  if (recorded_streams.load(std::memory_order_acquire) == 0) return false;
  const std::shared_ptr<Recorder> recorder = recorder_of(stream.id());
  if (recorder == nullptr) return false;
  recorder->add(stream.id(), make());
  return true;
}

// Submits a task of the form Status(int32_t stream) that touches no memory, or has it recorded.
template <typename Body>
void submit_plain(Stream& stream, Weight weight, const char* call, Body body,
                  TaskKind kind = TaskKind::kOther) {
  const auto make = [&] {
    return std::make_shared<const PlainStep<Body>>(kind, weight, call, body);
  };
  if (is_recorded(stream, make)) return;
  note_task();
  stream.submit(weight, [body, id = stream.id()]() mutable { return body(id); });
}

}  // namespace aclhost
