// SPDX-License-Identifier: Apache-2.0
// Elements that have indices of their own.
#include "kernels/creation/element.h"
#include "kernels/index/index.h"
#include "kernels/index/scatter.h"
#include "ops/inplace_scatter.h"
#include "ops/inplace_scatter_reduce.h"
#include "ops/inplace_scatter_value.h"
#include "ops/scatter.h"
#include "ops/scatter_add.h"
#include "ops/scatter_reduce.h"
#include "ops/scatter_value.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kAdd = 1;
constexpr int64_t kMean = 5;

// Upstream's numbers; unknown ones replace.
Combine combine_of(int64_t reduce) {
  switch (reduce) {
    case kAdd:
    case kMean:
      return Combine::kAdd;
    case 2:
      return Combine::kMultiply;
    case 3:
      return Combine::kMaximum;
    case 4:
      return Combine::kMinimum;
    default:
      return Combine::kReplace;
  }
}

template <typename Args>
Status scatter(const Args& args, const TensorView& self, const TensorView& source, int64_t reduce,
               const TensorView& out) {
  Scattering s = {args.kOperator, &self, args.dim, &args.index, &source, &out};
  s.how = combine_of(reduce);
  s.has_own_indices = true;
  s.wraps = true;
  s.is_mean = reduce == kMean;
  return scatter_along(s);
}

template <typename Args>
Status scatter_value(const Args& args, const TensorView& self, const TensorView& out) {
  const ScalarValue value = as_element(args.value, self.dtype);
  return scatter(args, self, repeated(value, with_dimension(args.index)), args.reduce, out);
}

}  // namespace

Status run(const ScatterArgs& args) {
  return scatter(args, args.self, args.src, args.reduce, args.out);
}

Status run(const InplaceScatterArgs& args) {
  return scatter(args, args.selfRef, args.src, args.reduce, args.selfRef);
}

Status run(const ScatterAddArgs& args) {
  return scatter(args, args.self, args.src, kAdd, args.out);
}

Status run(const ScatterReduceArgs& args) {
  return scatter(args, args.self, args.src, args.reduce, args.out);
}

Status run(const InplaceScatterReduceArgs& args) {
  return scatter(args, args.selfRef, args.src, args.reduce, args.selfRef);
}

Status run(const ScatterValueArgs& args) { return scatter_value(args, args.self, args.out); }

Status run(const InplaceScatterValueArgs& args) {
  return scatter_value(args, args.selfRef, args.selfRef);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
