// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/copy.h"
#include "kernels/reduction/one_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where there is nothing to add up.
inline Status clear_gradient(const TensorView& out) {
  if (!out.present || out.empty()) return {};
  ScalarValue zero;
  zero.present = true;
  zero.dtype = ACL_FLOAT;
  return fill(out, zero);
}

// Sums over all dimensions but one.
inline Status sum_all_but(int kept, const TensorView& gradient, const TensorView& out) {
  const uint32_t all = (1U << gradient.rank) - 1;
  const OneTensor in = {gradient, all & ~(1U << kept), gradient.dtype};
  return reduce_tensor({Reduce::kSum, loop_type(gradient.dtype)}, in, out.dtype, out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
