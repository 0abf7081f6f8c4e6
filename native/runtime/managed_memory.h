// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "acl/acl_rt.h"
#include "base/call.h"

namespace aclhost {

// Keeps where a range of managed memory is wanted. 0, or the reported failure.
int32_t note_prefetch(const Call& call, const void* ptr, size_t size,
                      aclrtMemManagedLocation location);

}  // namespace aclhost
