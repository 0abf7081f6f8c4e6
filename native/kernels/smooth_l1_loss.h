// SPDX-License-Identifier: Apache-2.0
// Smooth L1 and its gradient, for one element or a vector of them.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// With beta below the smallest normal number 1 / beta may overflow; the quadratic part is next to
// nothing then, and infinity would turn it into NaN.
template <typename Real>
Real inverse_beta(Real beta) {
  return std::min(1 / beta, std::numeric_limits<Real>::max());
}

// a / beta is at most 1, so no product overflows that the loss itself does not.
template <typename V, typename Real = Element<V>>
V smooth_l1_point(V x, V y, Real beta, Real inverse) {
  const V a = absolute<V>(x - y);
  return a < beta ? Real(0.5) * a * (a * inverse) : a - Real(0.5) * beta;
}

// Where |x - y| >= beta the slope is the sign: 0 at 0, which only beta = 0 brings here, and NaN for
// NaN.
template <typename V, typename Real = Element<V>>
V smooth_l1_backward_point(V grad, V x, V y, Real beta, Real norm) {
  const V d = x - y;
  const V down = d < 0 ? splat<V>(-1) : d;
  const V sign = d > 0 ? splat<V>(1) : down;
  const V slope = absolute(d) < beta ? d / beta : sign;
  return (slope * grad) * norm;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
