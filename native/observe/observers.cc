// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "base/observer.h"
#include "observe/strict.h"
#include "observe/trace.h"

namespace aclhost {
namespace {

Observers choose() {
  Observers chosen;
  if (is_strict()) chosen.push_back(make_strict_observer());
  if (const char* path = std::getenv("ACLHOST_TRACE"); path != nullptr && *path != '\0') {
    chosen.push_back(make_trace_observer(path));
  }
  return chosen;
}

std::atomic<const Observers*> known{nullptr};
std::mutex choosing;

const Observers& choose_once() {
  const std::lock_guard<std::mutex> lock(choosing);
  if (known.load() == nullptr) known.store(new Observers(choose()));
  return *known.load();
}

constexpr int kMostActions = 4;
void (*actions[kMostActions])(int status);
std::atomic<int> action_count{0};

// Observers report when the process ends, after everything that was made later has gone: so this
// comes first of all, when the library is loaded. The first observer comes last, as it may end the
// process with a status of its own.
constexpr int kFirst = 101;
__attribute__((constructor(kFirst))) void prepare() {
  on_exit(
      [](int status, void*) {
        for (int i = action_count - 1; i >= 0; --i) actions[i](status);
      },
      nullptr);
}

}  // namespace

void when_process_ends(void (*action)(int status)) { actions[action_count++] = action; }

const Observers& observers() {
  const Observers* chosen = known.load(std::memory_order_acquire);
  return chosen != nullptr ? *chosen : choose_once();
}

Work with_workspace(Work work, const void* workspace, size_t size) {
  if (size > 0) work.regions.push_back(bytes_region("workspace", workspace, size, false, true));
  return work;
}

Region bytes_region(const char* name, const void* start, size_t size, bool reads, bool writes) {
  return {name,  static_cast<const char*>(start), 1, {static_cast<int64_t>(size)}, {1}, reads,
          writes};
}

}  // namespace aclhost
