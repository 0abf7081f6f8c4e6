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
#if defined(__SSE4_1__) || defined(__aarch64__)
  return std::floor(x);  // one instruction
#else
  const T nearest = round(x), below = nearest - (nearest > x ? T{1} : T{0});
  return with_sign_of(magnitude_of(below), nearest);  // of -0, too
#endif
}
template <typename T>
ACLHOST_INLINE T trunc(T x) {
  return with_sign_of(floor(magnitude_of(x)), x);
}
template <typename T>
ACLHOST_INLINE T ceil(T x) {
  return -floor(-x);
}

// Whether the whole part of x / y has at most 29 bits, or is infinite.
ACLHOST_INLINE bool is_near(float x, float y) {
  const double ratio = magnitude_of(static_cast<double>(x) / static_cast<double>(y));
  return !(ratio >= 0x1p29) || ratio == kInfinity<double>;
}
// The whole ratio has at most 29 bits: its product with y is exact, and so is the difference.
ACLHOST_INLINE float fmod_near(float x, float y) {
  const double size = magnitude_of(static_cast<double>(x));
  const double divisor = magnitude_of(static_cast<double>(y));
  double rest = size - Nearest(size / divisor).whole * divisor;
  rest = rest < 0 ? rest + divisor : rest;
  rest = divisor == kInfinity<double> && size < divisor ? size : rest;
  return with_sign_of(magnitude_of(static_cast<float>(rest)), x);
}
// To the sign of the divisor.
template <typename T>
ACLHOST_INLINE T remainder_of_rest(T rest, T y) {
  const T signed_rest = y < 0 ? -rest : rest;
  return signed_rest < 0 ? rest + y : rest;
}
ACLHOST_INLINE float remainder_near(float x, float y) {
  return remainder_of_rest(fmod_near(x, y), y);
}

// x - y * trunc(x / y)
ACLHOST_INLINE float fmod(float x, float y) {
  return is_near(x, y) ? fmod_near(x, y) : std::fmod(x, y);
}
ACLHOST_INLINE double fmod(double x, double y) { return std::fmod(x, y); }

// x - y * floor(x / y), as Python's %: the sign is the divisor's.
template <typename T>
ACLHOST_INLINE T remainder(T x, T y) {
  return remainder_of_rest(fmod(x, y), y);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
