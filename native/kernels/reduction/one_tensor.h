// SPDX-License-Identifier: Apache-2.0
// Reductions of one tensor.
#pragma once

#include "engines/copy.h"
#include "engines/reduction.h"
#include "engines/scalars.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct OneTensor {
  const TensorView& self;
  uint32_t mask;         // of the dimensions that go
  aclDataType computed;  // what self is cast to first
};

// Results are rounded to the dtype, then cast to what the view has.
inline Status reduce_tensor(Reduction reduction, const OneTensor& in, aclDataType rounded,
                            const TensorView& out) {
  const TensorView result = with_reduced(out, in.self, in.mask);
  const Operand outs[] = {{&result, rounded}};
  const Operand ins[] = {{&in.self, in.computed}};
  return reduce(reduction, outs, 1, ins, 1);
}

inline Status reduce_tensor(Reduce kind, const OneTensor& in, const TensorView& out) {
  return reduce_tensor({kind, loop_type(in.computed)}, in, in.computed, out);
}

// The sum over how many there are.
inline Status mean_of(const OneTensor& in, const TensorView& out) {
  const aclDataType values = loop_type(in.computed);
  return reduce_tensor({Reduce::kSum, values, nullptr, nullptr, find_mean(values)}, in, in.computed,
                       out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
