// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/one_tensor.h"
#include "ops/all.h"
#include "ops/amax.h"
#include "ops/amin.h"
#include "ops/any.h"
#include "ops/arg_max.h"
#include "ops/arg_min.h"
#include "ops/max.h"
#include "ops/max_dim.h"
#include "ops/min.h"
#include "ops/min_dim.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status extreme(Reduce kind, const TensorView& self, uint32_t mask, const TensorView& out) {
  if (out.empty()) return {};
  return reduce_tensor(kind, {self, mask, self.dtype}, out);
}

uint32_t all_of(const TensorView& self) { return (1u << self.rank) - 1; }

// Truth of all or any values, which a tensor without values has or has not.
Status truth(Reduce kind, const TensorView& self, const IntArrayView& dims, const TensorView& out) {
  if (self.empty()) return fill(out, double_value(kind == Reduce::kMinimum));
  return reduce_tensor(kind, {self, mask_of(dims, self.rank), ACL_BOOL}, out);
}

// Values may be left out.
Status extreme_at(Reduce kind, const TensorView& self, int64_t dim, const TensorView* values,
                  const TensorView& indices) {
  const uint32_t mask = mask_of(dim, self.rank);
  const TensorView places = with_reduced(indices, self, mask);
  const TensorView results = values != nullptr ? with_reduced(*values, self, mask) : TensorView();
  const Operand outs[] = {{values != nullptr ? &results : nullptr, self.dtype},
                          {&places, ACL_INT64}};
  const Operand ins[] = {{&self, self.dtype}};
  return reduce({kind, loop_type(self.dtype)}, outs, 2, ins, 1);
}

}  // namespace

Status run(const AmaxArgs& args) {
  return extreme(Reduce::kMaximum, args.self, mask_of(args.dim, args.self.rank), args.out);
}

Status run(const AminArgs& args) {
  return extreme(Reduce::kMinimum, args.self, mask_of(args.dim, args.self.rank), args.out);
}

Status run(const MaxArgs& args) {
  return extreme(Reduce::kMaximum, args.self, all_of(args.self), args.out);
}

Status run(const MinArgs& args) {
  return extreme(Reduce::kMinimum, args.self, all_of(args.self), args.out);
}

Status run(const AllArgs& args) { return truth(Reduce::kMinimum, args.self, args.dim, args.out); }

Status run(const AnyArgs& args) { return truth(Reduce::kMaximum, args.self, args.dim, args.out); }

Status run(const ArgMaxArgs& args) {
  return extreme_at(Reduce::kMaximumAt, args.self, args.dim, nullptr, args.out);
}

Status run(const ArgMinArgs& args) {
  return extreme_at(Reduce::kMinimumAt, args.self, args.dim, nullptr, args.out);
}

Status run(const MaxDimArgs& args) {
  return extreme_at(Reduce::kMaximumAt, args.self, args.dim, &args.out, args.indices);
}

Status run(const MinDimArgs& args) {
  return extreme_at(Reduce::kMinimumAt, args.self, args.dim, &args.out, args.indices);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
