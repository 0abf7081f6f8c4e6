// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// GCC fuses products with the sum of one pair and the difference of its neighbour, although
// -ffp-contract=off forbids it: other bits where the processor can do that.
template <typename Real>
ACLHOST_INLINE Real rounded_product(Real x, Real y) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
  return __builtin_assoc_barrier(x * y);
#else
  return x * y;
#endif
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
