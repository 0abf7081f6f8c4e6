// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

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

// Observers report when the process ends, after everything that was made later has gone: so they
// come first.
__attribute__((constructor)) void begin_early() { observers(); }

}  // namespace

const Observers& observers() {
  static const auto& instance = *new Observers(choose());
  return instance;
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
