// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/call.h"
#include "base/observer.h"

namespace aclhost {

// Tells strict mode of a handle whose object was destroyed before; false if it is none.
template <typename Registry>
bool note_stale(const Call& call, Registry& registry, const char* parameter, const void* handle) {
  if (!registry.was_ours(handle)) return false;
  observe([&](Observer& o) { o.misused(call.name, parameter, handle); });
  return true;
}

}  // namespace aclhost
