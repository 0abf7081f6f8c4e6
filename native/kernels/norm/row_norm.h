// SPDX-License-Identifier: Apache-2.0
// Rows that are normalised, each by itself, and the gradients. A row is made of the dimensions from
// one on; weights have an element for each of a row's.
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// y = (x - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + epsilon), or, if it is not
// centred, with 0 for the mean. Tensors that are null or absent are left out.
struct RowNorm {
  int split;  // the first dimension of a row
  double epsilon;
  bool centred;
  const TensorView* x;
  const TensorView* weight = nullptr;
  const TensorView* bias = nullptr;
  const TensorView* y = nullptr;
  const TensorView* mean = nullptr;
  const TensorView* rstd = nullptr;
  // What is normalised instead is x * scale + addend + row_addend, which goes to `sum`.
  const TensorView* addend = nullptr;
  const TensorView* row_addend = nullptr;  // the same for all rows
  double scale = 1;
  const TensorView* sum = nullptr;
  double weight_offset = 0;  // added to each weight
};
Status normalize(const RowNorm& norm);

inline bool given(const TensorView* view) { return view != nullptr && view->present; }
// An output that a mask asks for.
inline const TensorView* wanted(const ListView<char>& mask, uint64_t i, const TensorView& out) {
  return mask.at(i) ? &out : nullptr;
}
inline TensorView or_absent(const TensorView* view) { return given(view) ? *view : TensorView(); }

// With xhat = (x - mean) * rstd and g = gradient * weight: the gradient of x is
// rstd * (g - mean(g) - xhat * mean(g * xhat)), without mean(g) if there is no mean; those of
// weight and bias are sums over the rows of gradient * xhat and of gradient.
struct RowNormGradient {
  int split;
  const TensorView* gradient;
  const TensorView* x;
  const TensorView* rstd;
  const TensorView* mean = nullptr;
  const TensorView* weight = nullptr;
  const TensorView* of_x = nullptr;
  const TensorView* of_weight = nullptr;
  const TensorView* of_bias = nullptr;
  // What was normalised is x * scale + addend, whose gradient goes to of_addend as well.
  const TensorView* addend = nullptr;
  double scale = 1;
  const TensorView* of_addend = nullptr;
  const TensorView* of_sum = nullptr;  // a gradient of that sum, which is added
};
Status differentiate(const RowNormGradient& norm);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
