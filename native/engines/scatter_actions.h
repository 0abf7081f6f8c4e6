// SPDX-License-Identifier: Apache-2.0
// What an indexed write does with elements: see Note [Indexed writes] in scatter.h.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "engines/scatter.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Strides and offsets are in bytes.
struct ScatterAction {
  void (*elements)(const char* dense, const int64_t* from, char* table, const int64_t* to,
                   int64_t n);
  void (*row)(const char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n);
};

// Without functions where a type is not combined so.
ScatterAction scattering(aclDataType dtype, Combine how);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
