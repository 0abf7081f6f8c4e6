// SPDX-License-Identifier: Apache-2.0
// The logarithm of the gamma function and its derivative: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_double.h"
#include "simd/math_rounding.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// log of normal positive x
ACLHOST_INLINE double log_of_normal(double x) {
  const Split split(x);
  return log_of_parts(split.exponent, split.fraction);
}

// log gamma(x) of x > 0: Stirling's from 5.5 on; below, that of 1 <= 1 + v <= 2.5 and the logarithm
// of what is between. So nothing cancels next to 1 and 2, where it is 0.
ACLHOST_INLINE double lgamma_positive(double x) {
  const bool inside = x < 5.5;
  double v = x < 1 ? x : x - 1, factor = x < 1 ? x : 1.0;
  for (int step = 2; step < 5; ++step) {
    v = x < step + 0.5 ? v : x - step;
    factor = x < step + 0.5 ? factor : factor * (x - (step - 1));
  }
  const double logarithm = log_of_normal(inside ? factor : x);
  // lgamma(1 + v) / (v (v - 1)) to within 4.2e-17 of itself.
  const double quotient = polynomial(
      v - 0.75, 0.4501393121092563, -0.11948158662524273, 0.04452044719851477, -0.01905395783025038,
      0.008776370424820181, -0.004226194125675554, 0.0020955338945061364, -0.0010605660833747756,
      0.0005448967395731498, -0.0002831904844654093, 0.000148519311589166, -7.846314845465087e-05,
      4.168906612494944e-05, -2.227242258991742e-05, 1.2018712758946373e-05, -6.474995691895185e-06,
      3.3111117558652085e-06, -1.7932743600527255e-06, 1.3252079532403106e-06,
      -7.242058089691726e-07, -1.7642211252539126e-08, 1.1196787207499e-08, 2.7358340821171866e-07,
      -1.5069416728386754e-07);
  const double sign = x < 1 ? -1.0 : 1.0, inner = v * (v - 1) * quotient + sign * logarithm;
  const double inverse = 1 / x;
  // What Stirling's formula leaves, times x, so that the sum is within 4.2e-16.
  const double rest = polynomial(
      inverse * inverse, 0.08333333333333211, -0.0027777777758655887, 0.0007936503037470383,
      -0.0005951892876127222, 0.0008392664882921607, -0.0018438447691601638, 0.0050332102437294635,
      -0.012206233332590957, 0.016376180202326212);
  constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
  const double outer = ((x - 0.5) * logarithm - x) + (kHalfLogOfTwoPi + inverse * rest);
  return inside ? inner : outer;
}

// sin(pi x) of 0 <= x <= 1/2, to within 1.4e-16 of itself.
ACLHOST_INLINE double sine_of_half_turns(double x) {
  return x * polynomial(x * x, 3.1415926535897927, -5.167712780049753, 2.5501640398597774,
                        -0.5992645287757311, 0.08214587825674992, -0.0073703610725955075,
                        0.00046597761905565555, -2.1122954687484393e-05);
}

// |gamma(-x) gamma(x)| = pi / (x |sin(pi x)|)
ACLHOST_INLINE double lgamma_in_double(double x) {
  const double size = magnitude_of(x);
  const double bounded = size > 0x1p24 ? 0x1p24 : size;  // which is whole, as all floats above
  const double sine = sine_of_half_turns(magnitude_of(bounded - Nearest(bounded).whole));
  const double positive = lgamma_positive(size);
  const double mirrored = -log_of_normal(size * sine * (1 / kPi)) - positive;
  double result = x < 0 ? mirrored : positive;
  const double at_whole = x > 0 ? result : kInfinity<double>;
  result = sine == 0 ? at_whole : result;
  return size < kInfinity<double> ? result : size;  // NaN, too
}
ACLHOST_INLINE float lgamma(float x) { return static_cast<float>(lgamma_in_double(x)); }

inline void lgamma_of_array(const float* x, float* out, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = lgamma(x[i]);
}
// Whether lgamma_in_double(x) is as exact as double allows. Between the negative whole numbers
// there are zeros, next to which the difference of two logarithms is not.
ACLHOST_INLINE bool lgamma_holds(double x, double result) {
  const bool near_zero = (x < -2) & (magnitude_of(result) * 10 < x * x);
  const double size = magnitude_of(x);
  return !near_zero & (x > -0x1p20) & (size > 0x1p-500) & (size < 0x1p1000);
}
// Where it is not, or where numbers are extreme, this is the C library's, whose last bits may
// differ between processors. std::lgamma stores the sign in a global variable, which threads would
// race for.
inline void lgamma_of_array(const double* x, double* out, int64_t n) {
  constexpr int64_t kMost = 256;
  double results[kMost];
  for (int64_t first = 0; first < n; first += kMost) {
    const int64_t count = n - first < kMost ? n - first : kMost;
    for (int64_t i = 0; i < count; ++i) results[i] = lgamma_in_double(x[first + i]);
    for (int64_t i = 0; i < count; ++i) {
      int sign = 0;
      const double given = x[first + i];
      if (!lgamma_holds(given, results[i])) results[i] = ::lgamma_r(given, &sign);
    }
    for (int64_t i = 0; i < count; ++i) out[first + i] = results[i];
  }
}

// digamma x of x > 0: psi(x) = psi(x + 1) - 1 / x until the asymptotic series holds.
ACLHOST_INLINE double digamma_positive(double x) {
  double sum = 0;
  for (int step = 0; step < 12; ++step) {
    sum -= 1 / (x < 12 ? x : kInfinity<double>);
    x += x < 12 ? 1.0 : 0.0;
  }
  const double inverse = 1 / x, square = inverse * inverse;
  const double series = square * polynomial(square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                            1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return sum + (log(x) - 0.5 * inverse - series);
}

// digamma x of all others from that of 1 - x. As torch has it: infinite at 0, with the opposite
// sign, and NaN at negative whole numbers.
inline double digamma_mirrored(double x, double positive) {
  if (x == 0) return std::copysign(kInfinity<double>, -x);
  const double fraction = x - std::round(x);  // exact, and near 0 at poles
  return fraction == 0 ? kNan<double> : positive - kPi / std::tan(kPi * fraction);
}

template <typename T>
inline T digamma(T x) {
  const double wide = x, positive = digamma_positive(wide > 0 ? wide : 1 - wide);
  return static_cast<T>(wide > 0 ? positive : digamma_mirrored(wide, positive));
}

// The same in vectors but for the tangent, which is the C library's.
template <typename T>
void digamma_of_array(const T* x, T* out, int64_t n) {
  constexpr int64_t kMost = 256;
  double results[kMost];
  for (int64_t first = 0; first < n; first += kMost) {
    const int64_t count = n - first < kMost ? n - first : kMost;
    for (int64_t i = 0; i < count; ++i) {
      const double wide = x[first + i];
      results[i] = digamma_positive(wide > 0 ? wide : 1 - wide);
    }
    for (int64_t i = 0; i < count; ++i) {
      const double wide = x[first + i];
      if (!(wide > 0)) results[i] = digamma_mirrored(wide, results[i]);
    }
    for (int64_t i = 0; i < count; ++i) out[first + i] = static_cast<T>(results[i]);
  }
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
