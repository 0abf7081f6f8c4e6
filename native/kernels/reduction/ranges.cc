// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/one_tensor.h"
#include "ops/aminmax.h"
#include "ops/aminmax_all.h"
#include "ops/aminmax_dim.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status range(const TensorView& self, uint32_t mask, const TensorView& least,
             const TensorView& most) {
  if (self.empty()) return {};
  const TensorView least_view = with_reduced(least, self, mask);
  const TensorView most_view = with_reduced(most, self, mask);
  const Operand outs[] = {{&least_view, self.dtype}, {&most_view, self.dtype}};
  const Operand ins[] = {{&self, self.dtype}};
  return reduce({Reduce::kRange, loop_type(self.dtype)}, outs, 2, ins, 1);
}

}  // namespace

Status run(const AminmaxArgs& args) {
  const uint32_t mask = args.dim.size == 0 ? 0 : mask_of(args.dim, args.self.rank);
  return range(args.self, mask, args.minOut, args.maxOut);
}

Status run(const AminmaxAllArgs& args) {
  return range(args.self, (1u << args.self.rank) - 1, args.minOut, args.maxOut);
}

Status run(const AminmaxDimArgs& args) {
  return range(args.self, mask_of(args.dim, args.self.rank), args.minOut, args.maxOut);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
