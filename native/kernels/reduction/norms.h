// SPDX-License-Identifier: Apache-2.0
// Norms of vectors of floats.
#pragma once

#include "kernels/reduction/one_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Of that order over the dimensions of the mask, rounded to FLOAT, then cast. Orders of 2^31 and
// -2^31 count as infinite.
Status compute_norm(float order, const TensorView& self, uint32_t mask, const TensorView& out);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
