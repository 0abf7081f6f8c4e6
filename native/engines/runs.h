// SPDX-License-Identifier: Apache-2.0
// Elements as bit patterns of 1, 2, 4, 8 or 16 bytes, at any address: moved, never looked into.
#pragma once

#include <cstdint>

#include "engines/loop_nest.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

inline bool can_move(int bits) { return bits >= 8 && bits <= 128 && (bits & (bits - 1)) == 0; }

// Strides are in bytes.
void copy_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t item_size,
              int64_t n);

// The last element first, past the cache; `from` is where it lies.
void stream_reversed(const char* from, char* to, int64_t item_size, int64_t n);

// A block of an operand as an array, and back.
void gather(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to);
void scatter(const char* from, const LoopNest& nest, const LoopNest::Operand& to,
             const Block& block);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
