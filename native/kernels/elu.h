// SPDX-License-Identifier: Apache-2.0
// ELU and its gradient, for one element or a vector of them, in the type computed in: float, or
// double for DOUBLE.
#pragma once

#include "kernels/exponential.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Real>
struct EluScalars {
  Real alpha;
  Real scale;
  Real input_scale;
};

template <typename V>
V elu_point(V x, const EluScalars<Element<V>>& s) {
  return s.scale * (x > 0 ? x : s.alpha * vector_expm1<V>(s.input_scale * x));
}

// Where alpha or inputScale is infinite or NaN, the exponential counts as 0 for every x <= 0.
template <typename V>
V elu_saturated_point(V x, const EluScalars<Element<V>>& s) {
  return s.scale * (x <= 0 ? splat<V>(-s.alpha) : x);
}

// In both gradients k is alpha * scale, and a NaN in x selects the linear branch.
template <typename V>
V elu_backward_point(V grad, V x, Element<V> k, const EluScalars<Element<V>>& s) {
  return x <= 0 ? ((grad * s.input_scale) * k) * vector_exp<V>(x * s.input_scale) : grad * s.scale;
}

template <typename V>
V elu_backward_from_result_point(V grad, V y, Element<V> k, const EluScalars<Element<V>>& s) {
  return y <= 0 ? (grad * s.input_scale) * (y + k) : grad * s.scale;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
