// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engines/sum_reducers.h"
#include "kernels/reduction/one_tensor.h"
#include "ops/mean.h"
#include "ops/prod.h"
#include "ops/prod_dim.h"
#include "ops/reduce_nansum.h"
#include "ops/reduce_sum.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// BOOL is true where one of the values is.
Status sum(const OneTensor& in, const TensorView& out) {
  if (in.self.empty()) return fill(out, double_value(0.0));
  const Reduce kind = in.computed == ACL_BOOL ? Reduce::kMaximum : Reduce::kSum;
  return reduce_tensor(kind, in, out);
}

Status product(const OneTensor& in, const TensorView& out) {
  if (in.self.empty()) return fill(out, double_value(1.0));
  const Reduce kind = in.computed == ACL_BOOL ? Reduce::kMinimum : Reduce::kProduct;
  return reduce_tensor(kind, in, out);
}

void zero_for_nan(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] == from[i] ? from[i] : 0.0f;
}

// The same, and the sum of all.
void sum_numbers(const char* values, int64_t n, char* state) {
  auto* const from = reinterpret_cast<const float*>(values);
  const auto number = [](auto x, auto...) { return x == x ? x : decltype(x){}; };
  double& total = *reinterpret_cast<double*>(state);
  total = reducers::sum_in_float(number, from, n);
  if (std::isfinite(total)) return;
  reduce_detail::LaneSums<float> lanes;
  lanes.add(number, n, from, from);
  total = lanes.total();
}

}  // namespace

Status run(const ReduceSumArgs& args) {
  return sum({args.self, mask_of(args.dims, args.self.rank), args.out.dtype}, args.out);
}

Status run(const ReduceNansumArgs& args) {
  const OneTensor in = {args.self, mask_of(args.dim, args.self.rank), args.dtype};
  if (loop_type(args.dtype) != ACL_FLOAT || args.self.empty()) return sum(in, args.out);
  Reduction numbers = {Reduce::kSum, ACL_FLOAT, zero_for_nan};
  numbers.reduce_plain = sum_numbers;
  return reduce_tensor(numbers, in, args.dtype, args.out);
}

Status run(const MeanArgs& args) {
  if (args.self.empty()) return fill(args.out, double_value(std::nan("")));
  return mean_of({args.self, mask_of(args.dim, args.self.rank), args.dtype}, args.out);
}

Status run(const ProdArgs& args) {
  return product({args.self, (1u << args.self.rank) - 1, args.out.dtype}, args.out);
}

Status run(const ProdDimArgs& args) {
  return product({args.self, mask_of(args.dim, args.self.rank), args.out.dtype}, args.out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
