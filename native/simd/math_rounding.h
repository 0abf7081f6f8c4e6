// SPDX-License-Identifier: Apache-2.0
// Rounding to whole numbers and remainders, all exact: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// From here on all numbers are whole: 2^23 or 2^52. Added to a lesser one, it rounds it.
template <typename T>
constexpr T kAllWhole = T{1} / std::numeric_limits<T>::epsilon();

// Half to even.
template <typename T>
ACLHOST_INLINE T round(T x) {
  const T size = magnitude_of(x);
  const T whole = with_sign_of((size + kAllWhole<T>)-kAllWhole<T>, x);
  return size < kAllWhole<T> ? whole : x;
}
template <typename T>
ACLHOST_INLINE T floor(T x) {
  const T nearest = round(x), below = nearest - (nearest > x ? T{1} : T{0});
  return with_sign_of(magnitude_of(below), nearest);  // of -0, too
}
template <typename T>
ACLHOST_INLINE T trunc(T x) {
  const T size = magnitude_of(x);
  return with_sign_of(floor(size), x);
}
template <typename T>
ACLHOST_INLINE T ceil(T x) {
  return -floor(-x);
}

// x - y * trunc(x / y)
ACLHOST_INLINE float fmod(float x, float y) { return std::fmod(x, y); }
ACLHOST_INLINE double fmod(double x, double y) { return std::fmod(x, y); }

// x - y * floor(x / y), as Python's %: the sign is the divisor's.
template <typename T>
ACLHOST_INLINE T remainder(T x, T y) {
  const T rest = fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
