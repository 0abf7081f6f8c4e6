// SPDX-License-Identifier: Apache-2.0
// The error function, its complement and its inverse: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_exponential.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

// erfc x of x >= 0.
ACLHOST_INLINE double erfc_positive(double x) {
  const double bounded = clamp(x, 0.0, 10.1);  // beyond, it is 0 as a float
  const double t = (bounded - 3) / (bounded + 3);
  // e^(x x) erfc x to within 3.2e-11 of itself.
  const double scaled = polynomial(
      t, 0.17900115118091256, -0.32623356014602695, 0.2456038019554523, -0.15011593102962803,
      0.07166582880775736, -0.024392583887052587, 0.004269215068924259, 0.0007083272488287775,
      -0.0005972926526307294, 4.3258423350679306e-05, 6.39537538006088e-05, -9.546981372918501e-06,
      -6.694518156083564e-06);
  return Exponential::of(-(bounded * bounded)).value() * scaled;
}

ACLHOST_INLINE float erfc(float x) {
  const double wide = x, tail = erfc_positive(magnitude_of(wide));
  return static_cast<float>(wide < 0 ? 2 - tail : tail);
}

// erfinv x / x is a smooth function of w = -log(1 - x x), for large w of its root.
ACLHOST_INLINE float erfinv(float x) {
  const double wide = x, size = magnitude_of(wide), inside = size < 1 ? size : 0.0;
  const double w = -log_normal((1 - inside) * (1 + inside));
  const double inner_w = (w > 5 ? 5 : w) - 2.5, outer_w = __builtin_sqrt(w > 5 ? w : 5) - 3.125;
  // To within 2.4e-11 of itself, w <= 5.
  const double inner =
      polynomial(inner_w, 1.5014093511463937, 0.2466402767402554, -0.004177318237896795,
                 -0.0012527079276323408, 0.00021825147514515516, -4.996029884231924e-06,
                 -3.4176945144786517e-06, 4.787017128373936e-07, 1.3874306858354602e-08,
                 -1.0863846128220153e-08, 8.062073726311736e-10, 1.2359567193297911e-10,
                 -1.9767971829805798e-11);
  // To within 5.9e-11 of itself, 5 <= w <= 16.
  const double outer = polynomial(
      outer_w, 2.9583201502858474, 1.003718694331009, 0.007047880185738241, -0.005301105272026724,
      0.0037944832536804998, -0.002518869123729061, 0.0012603275538317046, -0.0003333523319378621,
      -8.871001547149675e-05, 0.00014685139132242277, -5.9918677338927884e-05,
      -1.0159954124683855e-05, 1.2339498979678887e-05);
  double result = (w > 5 ? outer : inner) * wide;
  result = size == 1 ? wide * kInfinity<double> : result;
  result = size <= 1 ? result : kNan<double>;
  return static_cast<float>(result);
}

// Not vectorised. A rough start by w (Winitzki), to within 0.4%, and three steps of Halley's, each
// of which triples the digits.
inline double erfinv(double x) {
  const double size = magnitude_of(x), tail = 1 - size;
  if (!(size < 1)) return size == 1 ? x * kInfinity<double> : kNan<double>;
  const double w = std::log(tail * (1 + size));
  const double half = 4.3307467508 + 0.5 * w;  // 2 / (0.147 pi)
  double z = std::sqrt(std::sqrt(half * half - w / 0.147) - half);
  for (int step = 0; step < 3; ++step) {
    const double excess = size < 0.5 ? std::erf(z) - size : tail - std::erfc(z);
    const double slope = 1.1283791670955126 * std::exp(-z * z);
    z -= excess / (slope + z * excess);
  }
  return x == 0 ? x : with_sign_of(z, x);
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
