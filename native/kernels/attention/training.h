// SPDX-License-Identifier: Apache-2.0
// What attention for training has over one batch layout and over another.
#pragma once

#include "engines/overlap.h"
#include "kernels/attention/sparse.h"
#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kShiftThenScale = 1, kSlope = 2, kRootSlope = 3;  // of pseType

// Queries start where their array says; keys, too, but only if queries do.
inline int64_t key_start_of(const IntArrayView& query, const IntArrayView& key) {
  if (!query.present || query.size == 0) return 0;
  const int64_t keys = key.present && key.size > 0 ? key.values[0] : 0;
  return nearby(keys) - nearby(query.values[0]);
}

// The tensor, or a dense copy that has to stay.
inline Status make_dense(const TensorView& tensor, CopiedView* copied, const TensorView** dense) {
  *dense = &tensor;
  if (is_contiguous(tensor)) return {};
  *dense = &copied->view;
  return copy_of(tensor, *copied);
}

inline Status set_dropout(const TensorView& mask, double keep, CopiedView* copied,
                          Dropout* dropout) {
  if (!mask.present || mask.empty() || keep >= 1) return {};
  const TensorView* dense = nullptr;
  const Status status = make_dense(mask, copied, &dense);
  if (!status.ok()) return status;
  dropout->bits = static_cast<const uint8_t*>(dense->data) + dense->offset;
  dropout->scale = static_cast<float>(1 / keep);
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
