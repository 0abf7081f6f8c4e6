// SPDX-License-Identifier: Apache-2.0
// What an indexed write does with elements: see Note [Indexed writes] in scatter.h.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "engines/scatter.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Indices at a fixed distance from each other; places are as IndexedWalk::Index says.
struct IndexRun {
  const IndexedWalk::Index* index;
  const char* start;
  int64_t step;
  bool is_far;  // places should be asked for early
};

// Strides and offsets are in bytes.
struct ScatterAction {
  // Whether all indices were in range; for those of 4 bytes and of 8.
  using Direct = bool (*)(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                          const IndexRun& run, int64_t n);
  Direct direct[2];
  // The same with two indices, of one type. Null where there is no code for it.
  using Pairs = bool (*)(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                         const IndexRun& first, const IndexRun& second, int64_t n);
  Pairs pairs[2];

  void (*elements)(const char* dense, const int64_t* from, char* table, const int64_t* to,
                   int64_t n);
  void (*row)(const char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n);
};

// Without functions where a type is not combined so.
ScatterAction scattering(aclDataType dtype, Combine how);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
