// SPDX-License-Identifier: Apache-2.0
#include "operator/traced_run.h"

#include <cstdlib>

#include "operator/regions.h"
#include "operator/run.h"
#include "runtime/observed.h"

namespace aclhost {

bool is_traced() {
  static const bool traced = [] {
    const char* const path = std::getenv("ACLHOST_TRACE");
    return path != nullptr && *path != '\0';
  }();
  return traced;
}

Status run_traced(Args& args) {
  // Only shown: arrays of Python are no device memory, and no mistake for strict mode.
  const Work work = describe_call(args);
  observe([&](Observer& o) { o.began(work.call, work.detail, kNoStream); });
  Status status = run(args);
  observe([&](Observer& o) { o.ended(work.call, kNoStream); });
  return status;
}

}  // namespace aclhost
