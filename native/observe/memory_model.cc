// SPDX-License-Identifier: Apache-2.0
// What happens to memory, in the order of the calls and in that of the streams.
#include "observe/memory_model.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "observe/words.h"

namespace aclhost {
namespace {

ModelTask task_of(const Work& work, std::optional<Moment> moment, int32_t device) {
  ModelTask task{work.call, work.detail, {}, moment, device, Place::here()};
  for (const Region& region : work.regions) {
    task.touches.push_back(
        {region.name, region.reads, region.writes, region.side, runs_of(region), region.is_partly});
  }
  return task;
}

bool touches(const ModelTask& task, uintptr_t begin, uintptr_t end) {
  for (const Touch& touch : task.touches) {
    if (touch.runs.first() < end && begin < touch.runs.last()) return true;
  }
  return false;
}

}  // namespace

void MemoryModel::allocated(const void* start, size_t size, int32_t device) {
  Shadow shadow;
  shadow.begin = reinterpret_cast<uintptr_t>(start);
  shadow.size = size;
  shadow.device = device;
  shadow.allocated = Place::here();
  shadows_.add(std::move(shadow));
}

void MemoryModel::freed(const char* call, const void* start, bool found) {
  const Place here = Place::here();
  if (!found) return bad_free(call, start, here);
  Shadow* shadow = shadows_.at(start);
  if (shadow == nullptr) return;
  const PendingUse* use = shadow->uses.any(order_);
  if (use != nullptr || blocked_.touch(shadow->begin, shadow->end())) {
    note_finding("use after free", call, here, [&] {
      Finding finding{std::string(call) + " frees " + hex(start) + " (" + bytes(shadow->size) +
                          ") while " + (use != nullptr ? what(*use) : "work behind an event") +
                          " may still be running; synchronize its stream first",
                      {{"allocated at", shadow->allocated}}};
      if (use != nullptr) finding.places.emplace_back("queued at", use->place);
      finding.places.emplace_back("freed at", here);
      return finding;
    });
  }
  end(*shadow, here);
}

void MemoryModel::freed_in_stream(const char* call, const void* start, int32_t stream) {
  Shadow* shadow = shadows_.at(start);
  if (shadow == nullptr) return;
  const Place here = Place::here();
  const Moment now = order_.now(stream);
  const std::vector<Run> all{{shadow->begin, shadow->end()}};
  if (const PendingUse* use = shadow->uses.conflict(order_, all, true, &now)) {
    note_finding("use after free", call, here, [&] {
      return Finding{
          std::string(call) + " frees " + hex(start) + " (" + bytes(shadow->size) + ") in stream " +
              std::to_string(stream) + " while nothing orders it after " + what(*use) +
              "; record an event there and wait for it here",
          {{"allocated at", shadow->allocated}, {"queued at", use->place}, {"freed at", here}}};
    });
  }
  end(*shadow, here);
}

void MemoryModel::end(const Shadow& shadow, const Place& here) {
  guarded_.erase(shadow.begin);
  shadows_.free(shadow, here);
}

void MemoryModel::peer_access(int32_t device, int32_t peer, bool on) {
  if (on) {
    peers_.insert({device, peer});
  } else {
    peers_.erase({device, peer});
  }
}

void MemoryModel::submitted(const Work& work, int32_t stream, int32_t device) {
  ModelTask task = task_of(work, order_.submit(stream), device);
  check_overlaps(work, task);
  for (const Touch& touch : task.touches) check_memory({task, touch});
  guard_pinned(task);
  if (!blocked_.is_blocked(stream)) return happen(task);
  const auto kept = std::make_shared<const ModelTask>(std::move(task));
  blocked_.add(stream,
               {[this, kept] { happen(*kept); },
                [kept](uintptr_t begin, uintptr_t end) { return touches(*kept, begin, end); }});
}

void MemoryModel::done_here(const Work& work) {
  const ModelTask task = task_of(work, std::nullopt, kNoDevice);
  check_overlaps(work, task);
  for (const Touch& touch : task.touches) check_memory({task, touch});
  check_devices(task);
  happen(task);
}

void MemoryModel::recorded(uint64_t mark, int32_t stream) {
  const auto record = [this, mark, moment = order_.now(stream)] {
    order_.record(mark, moment);
    blocked_.release(mark);
  };
  if (!blocked_.is_blocked(stream)) return record();
  blocked_.add(stream, {record, {}});
}

void MemoryModel::awaits(uint64_t mark, int32_t stream) {
  const auto wait = [this, mark, stream] {
    if (order_.await(mark, stream)) return;
    blocked_.block(stream, mark, [this, mark, stream] { order_.await(mark, stream); });
  };
  if (!blocked_.is_blocked(stream)) return wait();
  blocked_.add(stream, {wait, {}});
}

void MemoryModel::joined_stream(int32_t stream) {
  order_.join_stream(stream);
  open_pinned();
}

void MemoryModel::joined_mark(uint64_t mark) {
  order_.join_mark(mark);
  open_pinned();
}

void MemoryModel::stream_ended(int32_t stream) {
  blocked_.end(stream);
  order_.end_stream(stream);
  open_pinned();
}

void MemoryModel::happen(const ModelTask& task) {
  for (const Touch& touch : task.touches) {
    const Use use{task, touch};
    Shadow* shadow = shadows_.of(touch.runs);
    if (shadow == nullptr) continue;
    check_order(use, *shadow);
    if (shadow->on_device() && touch.reads) check_written(use, *shadow);
  }
  note_uses(task);
}

void MemoryModel::note_uses(const ModelTask& task) {
  for (const Touch& touch : task.touches) {
    Shadow* shadow = shadows_.of(touch.runs);
    if (shadow == nullptr) continue;
    if (touch.writes && !touch.is_partly && shadow->on_device()) shadow->write(touch.runs);
    if (!task.moment) continue;
    const PendingUse use{*task.moment, task.call, touch.writes, task.here};
    shadow->uses.add(order_, touch.runs.shared, std::make_shared<const PendingUse>(use));
  }
}

void MemoryModel::guard_pinned(const ModelTask& task) {
  for (const Touch& touch : task.touches) {
    Shadow* shadow = shadows_.live(touch.runs.first());
    if (shadow == nullptr || shadow->on_device() || touch.runs.last() > shadow->end()) continue;
    const PinnedGuard guard{{}, !touch.writes, *task.moment, task.call, task.here};
    shadow->guards.add({shadow->begin, shadow->end()}, touch.runs.list(), guard);
    if (!shadow->guards.empty()) guarded_.insert(shadow->begin);
  }
}

void MemoryModel::open_pinned() {
  for (auto it = guarded_.begin(); it != guarded_.end();) {
    PinnedGuards& guards = shadows_.live(*it)->guards;
    guards.open_awaited(order_);
    it = guards.empty() ? guarded_.erase(it) : std::next(it);
  }
}

void MemoryModel::note_leaks() {
  for (const auto& [start, shadow] : shadows_.all()) {
    note_finding("leak", "memory", shadow.allocated, [&, address = start] {
      return Finding{bytes(shadow.size) + " of " + (shadow.on_device() ? "device" : "pinned host") +
                         " memory at " + hex(address) + " were never freed",
                     {{"allocated at", shadow.allocated}}};
    });
  }
}

}  // namespace aclhost
