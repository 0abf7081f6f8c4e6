// SPDX-License-Identifier: Apache-2.0
// What an indexed walk does with elements and their places: see Note [Indexed walks] in index.h.
#pragma once

#include <cstdint>

#include "engines/index.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Strides and offsets are in bytes.
struct Action {
  void (*elements)(char* dense, int64_t step, char* table, const int64_t* offsets, int64_t n);
  void (*row)(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n);
  void (*missing)(char* dense, int64_t step, int64_t n);
};

// For elements of 1, 2, 4, 8 or 16 bytes. Long rows go past the cache if wanted; see
// Note [Stores past the cache] in simd/simd.h.
Action gathering(int64_t item_size, bool past_cache);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
