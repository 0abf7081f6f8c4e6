// SPDX-License-Identifier: Apache-2.0
#include "runtime/event.h"

#include <utility>

#include "acl/acl_rt.h"
#include "base/observer.h"
#include "base/threads.h"

namespace aclhost {
namespace {

__constinit EventRegistry all_events;

uint64_t next_mark() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint32_t next_event() {
  static std::atomic<uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Mark::Mark() : id_(next_mark()) {}

Mark::~Mark() {
  observe([this](Observer& o) { o.mark_ended(id_); });
}

void Mark::recorded_in(std::shared_ptr<TaskQueue> queue) {
  std::lock_guard<std::mutex> lock(mutex_);
  source_ = std::move(queue);
}

std::shared_ptr<TaskQueue> Mark::source() {
  std::lock_guard<std::mutex> lock(mutex_);
  return source_;
}

void Mark::reach() {
  std::shared_ptr<TaskQueue> over;  // not to end while the mutex is held
  std::lock_guard<std::mutex> lock(mutex_);
  over.swap(source_);
  time_ = Clock::now();
  reached_.store(true, std::memory_order_release);
  changed_.notify_all();
}

bool Mark::wait(int32_t timeout) {
  if (reached()) return true;
  if (const auto queue = source()) timeout < 0 ? queue->help(reached_) : queue->hand_over();
  const TaskQueue::Interruptible interruptible(*this);
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_over = [this] { return reached() || TaskQueue::is_dropped_here(); };
  if (timeout >= 0) {
    changed_.wait_for(lock, std::chrono::milliseconds(timeout), is_over);
  } else {
    wait_for_ever(changed_, lock, is_over);
  }
  return reached();
}

void Mark::wait_whole() {
  std::unique_lock<std::mutex> lock(mutex_);
  wait_for_ever(changed_, lock, [this] { return reached(); });
}

void Mark::look_again() {
  std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

void Mark::forsake() { is_forsaken_.store(true, std::memory_order_release); }

void Mark::hurry() {
  if (const auto queue = source()) queue->hand_over();
}

Event::Event(EventKind kind, uint32_t flags) : kind_(kind), id_(next_event()), flags_(flags) {}

bool Event::blocks() const {
  return kind_ == EventKind::kFlag && (flags_ & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL)) != 0;
}

bool Event::has_time() const {
  return kind_ == EventKind::kPlain || (flags_ & ACL_EVENT_TIME_LINE) != 0;
}

MarkPtr Event::next() {
  std::lock_guard<std::mutex> lock(mutex_);
  // Streams may wait for the first mark of such an event already.
  return blocks() && !recorded_ ? mark_ : std::make_shared<Mark>();
}

void Event::publish(MarkPtr mark) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (mark == std::exchange(overtaken_, nullptr)) return;
  mark_ = std::move(mark);
  recorded_ = true;
}

void Event::reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  // A stream that waited may come here before the thread that recorded has published.
  const bool is_overtaken = !recorded_ && mark_->reached();
  if (is_overtaken) overtaken_ = mark_;
  if (is_overtaken || std::exchange(recorded_, false)) mark_ = std::make_shared<Mark>();
}

MarkPtr Event::latest() {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_ ? mark_ : nullptr;
}

MarkPtr Event::awaited() {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_ || blocks() ? mark_ : nullptr;
}

void Event::set_captured(std::weak_ptr<Capture> capture, int edge) {
  std::lock_guard<std::mutex> lock(mutex_);
  capture_ = std::move(capture);
  edge_ = edge;
}

std::shared_ptr<Capture> Event::captured(int* edge) {
  std::lock_guard<std::mutex> lock(mutex_);
  *edge = edge_;
  return capture_.lock();
}

EventRegistry& events() { return all_events; }

}  // namespace aclhost
