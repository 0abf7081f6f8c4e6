// SPDX-License-Identifier: Apache-2.0
#include "kernels/loss/smooth_l1_loss.h"

#include "dtypes.h"
#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/elementwise.h"
#include "engines/reduce.h"
#include "operator/shapes.h"
#include "ops/smooth_l1_loss.h"
#include "ops/smooth_l1_loss_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;

// Any mix of the floating types is computed in FLOAT.
template <typename Visit>
Status visit_promoted(std::initializer_list<const TensorView*> views, const Visit& visit) {
  const TensorView& first = **views.begin();
  for (const TensorView* view : views) {
    if (view->dtype != first.dtype) return visit(TypeTag<float>{});
  }
  return visit_single(first, visit);
}

Shape broadcast_of(const TensorView& self, const TensorView& target) {
  return broadcast_shape({&self, &target});
}

double elements_of(const Shape& shape) {
  double product = 1;
  for (int i = 0; i < shape.rank; ++i) product *= static_cast<double>(shape.dims[i]);
  return product;
}

// Casts one value to every element of a tensor, which nearly always has one.
Status fill(const TensorView& out, double value) {
  const CastRun cast = find_cast(ACL_DOUBLE, out.dtype);
  if (cast != nullptr && out.elements() == 1) {
    const int bytes = data_type_bits(out.dtype) / 8;
    cast(reinterpret_cast<const char*>(&value), 0,
         static_cast<char*>(out.data) + out.offset * bytes, 0, 1);
    return {};
  }
  TensorView scalar = row_major_view(Shape{}, ACL_DOUBLE);
  scalar.data = &value;
  return copy(out, scalar);
}

// What each element counts for in the loss.
float weight_in(const SmoothL1LossBackwardArgs& args) {
  if (args.reduction != kMean) return 1;
  return static_cast<float>(1.0 / elements_of(broadcast_of(args.self, args.target)));
}

}  // namespace

Status run(const SmoothL1LossArgs& args) {
  return visit_promoted({&args.self, &args.target}, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = ComputeType<T>;
    const Real beta = without_nan_bits(args.beta), inverse = inverse_beta(beta);
    const auto point = [=](auto x, auto y) { return smooth_l1_point(x, y, beta, inverse); };
    if (args.reduction == kNone) {
      return elementwise<T>(point, args.result, args.self, args.target);
    }
    const Shape shape = broadcast_of(args.self, args.target);
    const double sum = sum_of<T>(point, shape, args.self, args.target);
    // Of nothing, the sum is 0 and the mean 0 / 0, NaN: what upstream fills in.
    const double loss = args.reduction == kMean ? sum / elements_of(shape) : sum;
    return fill(args.result, widen(Narrow<T>::from(loss)));
  });
}

Status run(const SmoothL1LossBackwardArgs& args) {
  const float weight = weight_in(args);
  return visit_promoted({&args.gradOut, &args.self, &args.target}, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = ComputeType<T>;
    const Real beta = without_nan_bits(args.beta), factor = weight;
    const auto gradient = [&](const auto& slope) {
      const auto input = operands::make_input<T>(args.gradOut);
      if (args.gradOut.elements() == 1 && input.move) {  // as it is for a mean and a sum
        const Real grad = widen(operands::number_in(input));
        const auto point = [=](auto x, auto y) { return (slope(x - y) * grad) * factor; };
        return elementwise<T>(point, args.gradInput, args.self, args.target);
      }
      const auto point = [=](auto g, auto x, auto y) { return (slope(x - y) * g) * factor; };
      return elementwise<T>(point, args.gradInput, args.gradOut, args.self, args.target);
    };
    if (has_exact_inverse(beta)) {
      const Real inverse = 1 / beta;
      return gradient([=](auto d) { return smooth_l1_slope_by_inverse(d, inverse); });
    }
    return gradient([=](auto d) { return smooth_l1_slope(d, beta); });
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
