// SPDX-License-Identifier: Apache-2.0
#include "ops/trace.h"

#include <algorithm>

#include "kernels/reduction/one_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const TraceArgs& args) {
  if (args.self.empty()) return fill(args.out, double_value(0.0));
  TensorView diagonal;
  copy_view(args.self, &diagonal);
  diagonal.rank = 1;
  diagonal.shape[0] = std::min(args.self.shape[0], args.self.shape[1]);
  diagonal.strides[0] = args.self.strides[0] + args.self.strides[1];
  return reduce_tensor(Reduce::kSum, {diagonal, 1u, args.out.dtype}, args.out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
