// SPDX-License-Identifier: Apache-2.0
// ELU and its gradient for vectors of elements of type T, in the type computed in: float, or double
// for DOUBLE. Scalars is one of the two types below.
#pragma once

#include "simd/exponential.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
struct EluScalars {
  using Type = T;
  using Real = ComputeType<T>;
  Real alpha;
  Real scale;
  Real input_scale;
  Real product;  // alpha * scale, rounded to float
  static constexpr bool kBounded = true;
};

// All of them 1, as they mostly are: the compiler then drops every product with one, and no
// positive x is an argument of the exponential whose result counts.
template <typename T>
struct UnitScalars {
  using Type = T;
  using Real = ComputeType<T>;
  static constexpr Real alpha = 1;
  static constexpr Real scale = 1;
  static constexpr Real input_scale = 1;
  static constexpr Real product = 1;
  static constexpr bool kBounded = false;
};

template <typename V, typename Scalars>
V elu_point(V x, const Scalars& s) {
  const V negative =
      s.alpha * vector_expm1<typename Scalars::Type, Scalars::kBounded>(s.input_scale * x);
  return s.scale * (x > 0 ? x : negative);
}

// Where alpha or inputScale is infinite or NaN, the exponential counts as 0 for every x <= 0.
template <typename V, typename Scalars>
V elu_saturated_point(V x, const Scalars& s) {
  return s.scale * (x <= 0 ? splat<V>(-s.alpha) : x);
}

// In both gradients a NaN in x selects the linear branch.
template <typename V, typename Scalars>
V elu_backward_point(V grad, V x, const Scalars& s) {
  const V slope = vector_exp<typename Scalars::Type, Scalars::kBounded>(x * s.input_scale);
  return x <= 0 ? ((grad * s.input_scale) * s.product) * slope : grad * s.scale;
}

template <typename V, typename Scalars>
V elu_backward_from_result_point(V grad, V y, const Scalars& s) {
  return y <= 0 ? (grad * s.input_scale) * (y + s.product) : grad * s.scale;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
