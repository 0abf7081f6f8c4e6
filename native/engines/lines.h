// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whole elements before the next line of the cache.
inline int64_t elements_before_line(const void* place, int64_t item_size) {
  return (-reinterpret_cast<intptr_t>(place) & (kLineBytes - 1)) / item_size;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
