// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Operands that need more bytes do not stay in the cache: three quarters of the last level, since
// others use it, too. Asks the system once.
inline int64_t cache_bytes() {
  static const int64_t bytes = [] {
    constexpr int64_t kUsual = 32 << 20;  // where the system does not tell
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const int64_t last_level = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
    const int64_t last_level = 0;
#endif
    return (last_level > 0 ? last_level : kUsual) / 4 * 3;
  }();
  return bytes;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
