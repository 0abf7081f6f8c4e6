// SPDX-License-Identifier: Apache-2.0
// Sums of a point-wise loop's values, without their types.
//
// Note [Order of point-wise sums]
// It follows from the shapes alone. Where at least as many values make a result as there are
// results, its values, in the order of positions, are cut in parts of kSumPart; a part is summed in
// lanes, parts then in halves. Else all results grow together, by one value each at a time. Floats
// are added in double, integers wrap.
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
