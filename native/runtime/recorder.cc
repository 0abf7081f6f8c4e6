// SPDX-License-Identifier: Apache-2.0
#include "runtime/recorder.h"

#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/errors.h"
#include "base/immortal.h"

namespace aclhost {
namespace {

struct Recorders {
  std::mutex mutex;
  std::map<int32_t, std::shared_ptr<Recorder>> by_stream;
};

Immortal<Recorders> recorders;

// From the first byte to behind the last.
MemoryRange range_of(const Region& region) {
  int64_t first = 0, last = 0;
  for (size_t i = 0; i < region.shape.size(); ++i) {
    if (region.shape[i] == 0) return {0, 0};
    const int64_t reach = (region.shape[i] - 1) * region.strides[i];
    (reach < 0 ? first : last) += reach;
  }
  const auto item = static_cast<int64_t>(region.item);
  const char* begin = region.start + first * item;
  return MemoryRange::of(begin, static_cast<size_t>((last - first + 1) * item));
}

Status region_gone(const Work& work, const Region& region) {
  return Status::failed({ACL_ERROR_RT_AICORE_EXCEPTION, region.name, "device_memory",
                         std::string(work.call) + ": " + region.name + " at " + hex(region.start) +
                             " was freed since the task was captured; keep the memory of a graph "
                             "until the graph is destroyed"});
}

}  // namespace

std::atomic<int> recorded_streams{0};

Status check_regions(const Work& work, uint64_t asked) {
  for (const Region& region : work.regions) {
    const MemoryRange range = range_of(region);
    if (range.begin == range.end) continue;
    const Access access = region.writes ? Access::kWrite : Access::kRead;
    const auto* start = reinterpret_cast<const void*>(range.begin);
    if (!is_accessible(start, range.end - range.begin, access, asked)) {
      return region_gone(work, region);
    }
  }
  return {};
}

std::shared_ptr<Recorder> recorder_of(int32_t stream) {
  const std::lock_guard<std::mutex> lock(recorders->mutex);
  const auto found = recorders->by_stream.find(stream);
  return found == recorders->by_stream.end() ? nullptr : found->second;
}

void set_recorder(int32_t stream, std::shared_ptr<Recorder> recorder) {
  const std::lock_guard<std::mutex> lock(recorders->mutex);
  recorders->by_stream[stream] = std::move(recorder);
  recorded_streams.store(static_cast<int>(recorders->by_stream.size()), std::memory_order_release);
}

void clear_recorder(int32_t stream) {
  std::shared_ptr<Recorder> ended;  // goes without the lock: it may hold much
  const std::lock_guard<std::mutex> lock(recorders->mutex);
  const auto found = recorders->by_stream.find(stream);
  if (found == recorders->by_stream.end()) return;
  ended = std::move(found->second);
  recorders->by_stream.erase(found);
  recorded_streams.store(static_cast<int>(recorders->by_stream.size()), std::memory_order_release);
}

}  // namespace aclhost
