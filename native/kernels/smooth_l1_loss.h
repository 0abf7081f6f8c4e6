// SPDX-License-Identifier: Apache-2.0
// Smooth L1 and its gradient, for one element. Real is the type computed in.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// With beta below the smallest normal number 1 / beta may overflow; the quadratic part is next to
// nothing then, and infinity would turn it into NaN.
template <typename Real>
Real inverse_beta(Real beta) {
  return std::min(1 / beta, std::numeric_limits<Real>::max());
}

// a / beta is at most 1, so no product overflows that the loss itself does not.
template <typename Real>
Real smooth_l1_point(Real x, Real y, Real beta, Real inverse) {
  const Real a = std::abs(x - y);
  return a < beta ? Real(0.5) * a * (a * inverse) : a - Real(0.5) * beta;
}

// Where |x - y| >= beta the slope is the sign: 0 at 0, which only beta = 0 brings here, and NaN for
// NaN.
template <typename Real>
Real smooth_l1_backward_point(Real grad, Real x, Real y, Real beta, Real norm) {
  const Real d = x - y;
  const Real sign = d > 0 ? Real(1) : d < 0 ? Real(-1) : d;
  const Real slope = std::abs(d) < beta ? d / beta : sign;
  return (slope * grad) * norm;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
