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
#if defined(__SSE4_1__) || defined(__aarch64__)
  return std::nearbyint(x);  // one instruction
#else
  const T size = magnitude_of(x);
  const T whole = with_sign_of((size + kAllWhole<T>)-kAllWhole<T>, x);
  return size < kAllWhole<T> ? whole : x;
#endif
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

// Whether fmod_near may be asked: the whole part of x / y has at most 29 bits or, of doubles, 50,
// or is infinite.
ACLHOST_INLINE bool is_near(float x, float y) {
  const double ratio = magnitude_of(static_cast<double>(x) / static_cast<double>(y));
  return !(ratio >= 0x1p29) || ratio == kInfinity<double>;
}
ACLHOST_INLINE bool is_near(double x, double y) {
  const double size = magnitude_of(x), divisor = magnitude_of(y);
  const bool moderate = size < divisor * 0x1p50 && divisor > 0x1p-900 && size < 0x1p1000;
  return moderate || divisor == 0 || !(size + divisor < kInfinity<double>);
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
ACLHOST_INLINE double fmod_near(double x, double y) {
  const double size = magnitude_of(x), divisor = magnitude_of(y);
  const Product product(Nearest(size / divisor).whole, divisor);
  double rest = (size - product.high) - product.low;
  rest = rest < 0 ? rest + divisor : rest;
  rest = divisor == kInfinity<double> && size < divisor ? size : rest;
  return with_sign_of(magnitude_of(rest), x);
}
// To the sign of the divisor.
template <typename T>
ACLHOST_INLINE T remainder_of_rest(T rest, T y) {
  const T signed_rest = y < 0 ? -rest : rest;
  return signed_rest < 0 ? rest + y : rest;
}
template <typename T>
ACLHOST_INLINE T remainder_near(T x, T y) {
  return remainder_of_rest(fmod_near(x, y), y);
}

// x - y * trunc(x / y)
template <typename T>
ACLHOST_INLINE T fmod(T x, T y) {
  return is_near(x, y) ? fmod_near(x, y) : std::fmod(x, y);
}

// x - y * floor(x / y), as Python's %: the sign is the divisor's.
template <typename T>
ACLHOST_INLINE T remainder(T x, T y) {
  return remainder_of_rest(fmod(x, y), y);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
