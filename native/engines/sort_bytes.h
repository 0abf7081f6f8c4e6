// SPDX-License-Identifier: Apache-2.0
// Whole rows of elements of one byte: they are counted.
#pragma once

#include <cstdint>

#include "engines/sort_keys.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// `flip` is that of KeyType; `values` and `indices` may be null.
void sort_bytes(const KeyType& type, uint64_t flip, const char* row, int64_t length, int chunks,
                char* values, int64_t* indices);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
