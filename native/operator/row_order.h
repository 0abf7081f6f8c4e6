// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor in row-major order, whatever its strides.
#pragma once

#include <cstdint>

#include "operator/views.h"

namespace aclhost {

// Rows are along the last dimension.
inline int64_t row_length(const TensorView& view) {
  return view.rank == 0 ? 1 : view.shape[view.rank - 1];
}
inline int64_t row_stride(const TensorView& view) {
  return view.rank == 0 ? 1 : view.strides[view.rank - 1];
}

// Calls visit(place) for every row of a tensor with elements, in order; places count elements.
template <typename Visit>
void for_each_row(const TensorView& view, const Visit& visit) {
  int64_t index[kMaxRank] = {}, place = view.offset;
  for (;;) {
    visit(place);
    int i = view.rank - 2;
    for (; i >= 0; --i) {
      place += view.strides[i];
      if (++index[i] < view.shape[i]) break;
      place -= view.strides[i] * view.shape[i];
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

}  // namespace aclhost
