// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise_sum.h"

#include "engines/reduction.h"
#include "engines/scalars.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status pointwise_sum(Loop loop, const Operand& out, const Operand* ins, int in_count,
                     const Number* numbers, bool mean) {
  Shape whole;
  for (int k = 0; k < in_count; ++k) broadcast_into(&whole, *ins[k].view);
  if (has_shape(*out.view, whole)) return pointwise(loop, &out, 1, ins, in_count, numbers);
  const aclDataType values = loop_type(out.dtype);
  const Reduction sum = {Reduce::kSum, values, loop, numbers, mean ? find_mean(values) : nullptr};
  return reduce(sum, &out, 1, ins, in_count);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
