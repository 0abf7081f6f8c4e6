// SPDX-License-Identifier: Apache-2.0
// Smooth L1 and its gradient, for one element or a vector of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "simd/simd.h"

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
  return a < beta ? a * (a * (Real(0.5) * inverse)) : a - Real(0.5) * beta;
}

// Where |d| >= beta the slope is the sign: 0 at 0, which only beta = 0 brings here, and NaN for
// NaN.
template <typename V, typename Real = Element<V>>
V smooth_l1_slope(V d, Real beta) {
  const V down = d < 0 ? splat<V>(-1) : d;
  const V sign = d > 0 ? splat<V>(1) : down;
  return absolute(d) < beta ? d / beta : sign;
}

// The same, for a beta that has an exact inverse: the quotient is then a product, and beyond beta
// it is cut off.
template <typename V, typename Real = Element<V>>
V smooth_l1_slope_by_inverse(V d, Real inverse) {
  return maximum(splat<V>(-1), minimum(splat<V>(1), d * inverse));
}

// Whether 1 / beta is exact and no product with it is a subnormal number that a quotient is not.
template <typename Real>
bool has_exact_inverse(Real beta) {
  int exponent;
  return std::frexp(beta, &exponent) == Real(0.5) && std::abs(exponent) < 64;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
