// SPDX-License-Identifier: Apache-2.0
// Tensors as the matrices of a product.
#pragma once

#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// One more dimension of length 1, before one that exists or behind all.
inline TensorView with_axis(const TensorView& view, int place) {
  TensorView more = view;
  more.rank = view.rank + 1;
  for (int i = view.rank; i > place; --i) {
    more.shape[i] = view.shape[i - 1];
    more.strides[i] = view.strides[i - 1];
  }
  more.shape[place] = 1;
  more.strides[place] = 0;
  return more;
}

inline TensorView as_column(const TensorView& vector) { return with_axis(vector, vector.rank); }
inline TensorView as_row(const TensorView& vector) { return with_axis(vector, vector.rank - 1); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
