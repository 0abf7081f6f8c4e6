// SPDX-License-Identifier: Apache-2.0
// Sums of a point-wise loop's values, without their types: Note [Order of reductions of loops].
#pragma once

#include "engines/pointwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The inputs broadcast to one shape. The output, aligned at its right, is summed over the
// dimensions that it lacks or has with length 1; a mean is divided by how many values that are.
// Sums are rounded once to the operand's dtype, then cast to the view's.
Status pointwise_sum(Loop loop, const Operand& out, const Operand* ins, int in_count,
                     const Number* numbers, bool mean);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
