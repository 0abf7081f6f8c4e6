// SPDX-License-Identifier: Apache-2.0
// Items in the order of their first numbers that differ.
#pragma once

#include "base/status.h"
#include "engines/overlap.h"
#include "kernels/sorting/runs.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where they were, as INT64, and the items themselves. Items that are alike keep their order.
Status sort_items(const Items& items, CopiedView& order, CopiedView& sorted);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
