// SPDX-License-Identifier: Apache-2.0
// Weights of sequences whose channels lie side by side: outer products of these, where they are.
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A matrix for each element of the kernel, with a row for each term, and the dense slopes.
bool weighs_in_place(const TensorView& met, const TensorView& slopes);

// out[k] = met[k], transposed, times the slopes, and the addend if there is one.
Status weigh_in_place(const TensorView& out, const TensorView& met, const TensorView& slopes,
                      const TensorView* addend);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
