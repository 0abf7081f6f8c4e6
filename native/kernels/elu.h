// SPDX-License-Identifier: Apache-2.0
// ELU and its gradient, for one element. Real is the type computed in: float, or double for DOUBLE.
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

template <typename Real>
Real elu_point(Real x, const EluScalars<Real>& s) {
  return s.scale * (x > 0 ? x : s.alpha * vector_expm1(s.input_scale * x));
}

// Where alpha or inputScale is infinite or NaN, the exponential counts as 0 for every x <= 0.
template <typename Real>
Real elu_saturated_point(Real x, const EluScalars<Real>& s) {
  return s.scale * (x <= 0 ? -s.alpha : x);
}

// In both gradients k is alpha * scale, and a NaN in x selects the linear branch.
template <typename Real>
Real elu_backward_point(Real grad, Real x, Real k, const EluScalars<Real>& s) {
  return x <= 0 ? ((grad * s.input_scale) * k) * vector_exp(x * s.input_scale) : grad * s.scale;
}

template <typename Real>
Real elu_backward_from_result_point(Real grad, Real y, Real k, const EluScalars<Real>& s) {
  return y <= 0 ? (grad * s.input_scale) * (y + k) : grad * s.scale;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
