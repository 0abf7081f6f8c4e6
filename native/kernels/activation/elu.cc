// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation/elu.h"

#include <cmath>

#include "engines/elementwise.h"
#include "ops/elu.h"
#include "ops/elu_backward.h"
#include "ops/inplace_elu.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
EluScalars<float> scalars_of(const Args& args) {
  const float alpha = without_nan_bits(args.alpha.to_float());
  const float scale = without_nan_bits(args.scale.to_float());
  return {alpha, scale, without_nan_bits(args.inputScale.to_float()), alpha * scale};
}

// Calls visit(scalars) with those to compute with. DOUBLE tensors compute in double, yet with the
// scalars' float values.
template <typename T, typename Visit>
Status visit_scalars(const EluScalars<float>& s, const Visit& visit) {
  if (s.alpha == 1 && s.scale == 1 && s.input_scale == 1) return visit(UnitScalars<T>{});
  return visit(EluScalars<T>{s.alpha, s.scale, s.input_scale, s.product});
}

Status elu(const TensorView& self, const EluScalars<float>& scalars, const TensorView& out) {
  return visit_floating(self, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return visit_scalars<T>(scalars, [&](auto s) {
      if (std::isfinite(s.alpha) && std::isfinite(s.input_scale)) {
        return elementwise<T>([s](auto x) { return elu_point(x, s); }, out, self);
      }
      return elementwise<T>([s](auto x) { return elu_saturated_point(x, s); }, out, self);
    });
  });
}

}  // namespace

Status run(const EluArgs& args) { return elu(args.self, scalars_of(args), args.out); }

Status run(const InplaceEluArgs& args) { return elu(args.selfRef, scalars_of(args), args.selfRef); }

Status run(const EluBackwardArgs& args) {
  return visit_single(args.gradOutput, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return visit_scalars<T>(scalars_of(args), [&](auto s) {
      if (args.isResult) {
        const auto point = [s](auto g, auto y) { return elu_backward_from_result_point(g, y, s); };
        return elementwise<T>(point, args.gradInput, args.gradOutput, args.selfOrResult);
      }
      const auto point = [s](auto g, auto x) { return elu_backward_point(g, x, s); };
      return elementwise<T>(point, args.gradInput, args.gradOutput, args.selfOrResult);
    });
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
