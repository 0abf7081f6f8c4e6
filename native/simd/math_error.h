// SPDX-License-Identifier: Apache-2.0
// The error function, its complement and its inverse: Note [Mathematical functions].
#pragma once

#include <cmath>

#include "simd/math_double.h"
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

// erf x = x + x times this, within 3.7e-17 of itself, |x| <= 1.
ACLHOST_INLINE double erf_factor_less_one(double square) {
  return polynomial(square, 0.12837916709551256, -0.3761263890318355, 0.11283791670945253,
                    -0.02686617064327622, 0.005223977607423468, -0.0008548325989696758,
                    0.00012055295320494294, -1.4924744663335484e-05, 1.6447517677871799e-06,
                    -1.6209175911748172e-07, 1.3722976265922404e-08, -7.801188874094099e-10);
}
ACLHOST_INLINE double erf(double x) {
  const double size = magnitude_of(x), inner = size + size * erf_factor_less_one(size * size);
  const double bounded = clamp(size, 1.0, 6.0), t = (bounded - 1) / (bounded + 3.125);
  // e^(x x) erfc x, so that erf x is within 3e-17 of itself, 1 <= x <= 6.
  const double scaled = polynomial(
      t, 0.42758357615580705, -1.1269995609836188, 1.4997290379931543, -1.434439986389755,
      0.9488564515975157, -0.37157952088579854, 0.022321903070627896, 0.053539442028364054,
      -0.014323074402130605, -0.009875279968233083, 0.005318355970401073);
  // e^-(x x), which counts less than erf: its sums need not be as exact as elsewhere.
  const double square = bounded * bounded;
  const Nearest n(square * -kLog2E);
  // To within 2.3e-17 of itself.
  const double mantissa = polynomial(
      -square - n.whole * kLn2, 1.0, 1.0, 0.5000000000000018, 0.1666666666666617,
      0.04166666666649276, 0.008333333333559189, 0.0013888888951225664, 0.00019841269432799405,
      2.4801486519542754e-05, 2.7557622439957e-06, 2.7632293996242287e-07, 2.499433256403836e-08);
  const double outer = 1 - mantissa * scaled * power_of_two(n.bits);
  return with_sign_of(size > 1 ? outer : inner, x);
}

// erfc x of 1/2 <= x <= 28. What sums and the quotient lose is kept, for several errors add up.
ACLHOST_INLINE double erfc_outer(double x) {
  const double t = (x - 3.5) / (x + 3.5);
  // (1 + 2 x) e^(x x) erfc x to within 7.3e-19 of itself, less its value at t = 0.
  const double less =
      t * polynomial(t, -0.14000918013761943, -0.010555596332218321, 0.09751909515325838,
                     -0.11508959816018989, 0.08798315382487386, -0.04882332582794731,
                     0.01909933094229954, -0.004215019907373322, -0.00030226787718099657,
                     0.0005643844163987701, -0.00012151241683692275, -4.278223447276435e-05,
                     2.4260894393615964e-05, 2.3283412607319906e-06, -3.8142574401691807e-06,
                     -4.432030708201595e-08, 5.9993817400824e-07, -7.83782056870227e-09,
                     -9.282732968248965e-08, 5.339464148032225e-10, 1.0330246586353622e-08);
  constexpr double kAtZero = 1.2423492448711544;
  const double scaled = kAtZero + less, scaled_low = (kAtZero - scaled) + less;
  const double twice = 2 * x, divisor = 1 + twice, divisor_low = (twice - divisor) + 1;
  const double quotient = scaled / divisor;
  const Product product(quotient, divisor);
  const double lost =
      ((scaled - product.high) - product.low) + (scaled_low - quotient * divisor_low);
  const Product square(x, x);
  const WideExponential e(-square.high, -square.low);
  const double rest = quotient * e.less_one + lost / divisor * (1 + e.less_one);
  return (quotient + rest) * e.power * e.rest_of_power;
}
ACLHOST_INLINE double erfc(double x) {
  const double size = magnitude_of(x), inner = (1 - x) - x * erf_factor_less_one(x * x);
  const double outer = erfc_outer(clamp(size, 0.5, 27.3));
  return size < 0.625 ? inner : (x < 0 ? 2 - outer : outer);
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
