// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/overlap.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

inline bool has_array_rows(const TensorView& view) {
  return view.rank == 0 || view.shape[view.rank - 1] <= 1 || view.strides[view.rank - 1] == 1;
}

// The view itself if its rows are arrays, else a copy: a kernel that reads rows one after the other
// would fetch a line of the cache for every element, and copies go along the memory.
inline Status gather_rows(const TensorView& view, CopiedView& rows) {
  if (!has_array_rows(view)) return copy_of(view, rows);
  rows.view = view;
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
