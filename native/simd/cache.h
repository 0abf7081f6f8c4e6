// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/cache.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Operands that need more bytes do not stay in the cache: three quarters of the last level, since
// others use it, too. Asks the system once.
inline int64_t cache_bytes() {
  static const int64_t bytes = last_level_cache() / 4 * 3;
  return bytes;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
