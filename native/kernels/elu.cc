// SPDX-License-Identifier: Apache-2.0
#include "kernels/elu.h"

#include <cmath>

#include "kernels/elementwise.h"
#include "ops/elu.h"
#include "ops/elu_backward.h"
#include "ops/inplace_elu.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
EluScalars<float> scalars_of(const Args& args) {
  return {args.alpha.to_float(), args.scale.to_float(), args.inputScale.to_float()};
}

// DOUBLE tensors compute in double, yet with the scalars' float values.
template <typename Real>
EluScalars<Real> widened(const EluScalars<float>& s) {
  return {s.alpha, s.scale, s.input_scale};
}

Status elu(const TensorView& self, const EluScalars<float>& scalars, const TensorView& out) {
  return visit_floating(self, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = ComputeType<T>;
    const EluScalars<Real> s = widened<Real>(scalars);
    if (std::isfinite(s.alpha) && std::isfinite(s.input_scale)) {
      return elementwise<T>([s](auto x) { return elu_point(x, s); }, out, self);
    }
    return elementwise<T>([s](auto x) { return elu_saturated_point(x, s); }, out, self);
  });
}

}  // namespace

Status run(const EluArgs& args) { return elu(args.self, scalars_of(args), args.out); }

Status run(const InplaceEluArgs& args) { return elu(args.selfRef, scalars_of(args), args.selfRef); }

Status run(const EluBackwardArgs& args) {
  const EluScalars<float> scalars = scalars_of(args);
  const float product = scalars.alpha * scalars.scale;
  return visit_floating(args.gradOutput, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = ComputeType<T>;
    const EluScalars<Real> s = widened<Real>(scalars);
    const Real k = product;
    if (args.isResult) {
      const auto point = [=](auto g, auto y) { return elu_backward_from_result_point(g, y, k, s); };
      return elementwise<T>(point, args.gradInput, args.gradOutput, args.selfOrResult);
    }
    const auto point = [=](auto g, auto x) { return elu_backward_point(g, x, k, s); };
    return elementwise<T>(point, args.gradInput, args.gradOutput, args.selfOrResult);
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
