// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/reduction/one_tensor.h"
#include "ops/max_v2.h"
#include "ops/mean_v2.h"
#include "ops/reduce_log_sum.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// No dimension is named, and then none goes.
bool stays(const IntArrayView& dims, bool none_goes) { return dims.size == 0 && none_goes; }

void logarithm(char* states, int64_t count, int64_t, double) {
  auto* const sums = reinterpret_cast<double*>(states);
  for (int64_t i = 0; i < count; ++i) sums[i] = std::log(sums[i]);
}

}  // namespace

Status run(const MaxV2Args& args) {
  if (args.self.empty()) return {};
  if (stays(args.dims, args.noopWithEmptyDims)) return copy(args.out, args.self);
  return reduce_tensor(Reduce::kMaximum,
                       {args.self, mask_of(args.dims, args.self.rank), args.self.dtype}, args.out);
}

Status run(const MeanV2Args& args) {
  if (args.self.empty()) return fill(args.out, double_value(std::nan("")));
  if (stays(args.dim, args.noopWithEmptyAxes)) {
    return copy(with_reduced(args.out, args.self, 0), args.self);
  }
  return mean_of({args.self, mask_of(args.dim, args.self.rank), args.self.dtype}, args.out);
}

Status run(const ReduceLogSumArgs& args) {
  if (args.data.empty()) return fill(args.reduce, double_value(0.0));
  if (stays(args.axes, args.noopWithEmptyAxes)) {
    return copy(with_reduced(args.reduce, args.data, 0), args.data);
  }
  const OneTensor in = {args.data, mask_of(args.axes, args.data.rank), args.data.dtype};
  return reduce_tensor({Reduce::kSum, ACL_FLOAT, nullptr, nullptr, logarithm}, in, args.data.dtype,
                       args.reduce);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
