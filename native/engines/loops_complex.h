// SPDX-License-Identifier: Apache-2.0
// Arithmetic of complex numbers, without branches, so that loops over it vectorise.
#pragma once

#include "simd/math.h"
#include "simd/rounded_product.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Part>
ACLHOST_INLINE Complex<Part> operator+(Complex<Part> x, Complex<Part> y) {
  return {x.real + y.real, x.imaginary + y.imaginary};
}
template <typename Part>
ACLHOST_INLINE Complex<Part> operator-(Complex<Part> x, Complex<Part> y) {
  return {x.real - y.real, x.imaginary - y.imaginary};
}
template <typename Part>
ACLHOST_INLINE Complex<Part> operator-(Complex<Part> x) {
  return {-x.real, -x.imaginary};
}
ACLHOST_INLINE double sum_of_products(double a, double b, double c, double d) {
  return rounded_product(a, b) + rounded_product(c, d);
}
// Of float within 1.5 ulp: what rounding one product loses comes back (Kahan), unless it overflows.
ACLHOST_INLINE float sum_of_products(float a, float b, float c, float d) {
  const float product = c * d, lost = __builtin_fmaf(c, d, -product);
  const float sum = __builtin_fmaf(a, b, product), result = sum + lost;
  return result == result ? result : sum;
}
template <typename Part>
ACLHOST_INLINE Complex<Part> operator*(Complex<Part> x, Complex<Part> y) {
  return {sum_of_products(x.real, y.real, -x.imaginary, y.imaginary),
          sum_of_products(x.real, y.imaginary, x.imaginary, y.real)};
}
// Smith's way, in double: the divisor's greater part is divided out, so that no square overflows.
// Where that is the imaginary one, both are turned by a quarter.
template <typename Part>
ACLHOST_INLINE Complex<Part> operator/(Complex<Part> x, Complex<Part> y) {
  const double a = x.real, b = x.imaginary, c = y.real, d = y.imaginary;
  const bool turns = math::magnitude_of(c) < math::magnitude_of(d);
  const double more = turns ? d : c, less = turns ? c : d;
  const double first = turns ? b : a, second = turns ? -a : b;
  const double quotient = less / more, ratio = more == 0 ? 0.0 : quotient;
  const double sum = more + rounded_product(less, ratio), scale = more == 0 ? 0.0 : sum;
  const double signed_ratio = turns ? -ratio : ratio;
  return {static_cast<Part>((first + rounded_product(second, signed_ratio)) / scale),
          static_cast<Part>((second - rounded_product(first, signed_ratio)) / scale)};
}
template <typename Part>
ACLHOST_INLINE bool operator==(Complex<Part> x, Complex<Part> y) {
  return (x.real == y.real) & (x.imaginary == y.imaginary);
}
template <typename Part>
ACLHOST_INLINE bool operator!=(Complex<Part> x, Complex<Part> y) {
  return (x.real != y.real) | (x.imaginary != y.imaginary);
}

namespace loops {

template <typename T>
constexpr bool kIsComplex = false;
template <typename Part>
constexpr bool kIsComplex<Complex<Part>> = true;

template <typename T>
using PartOf = decltype(T{}.real);

template <typename To, typename From>
ACLHOST_INLINE To to_complex(From from) {
  using Part = PartOf<To>;
  if constexpr (kIsComplex<From>) {
    return {static_cast<Part>(from.real), static_cast<Part>(from.imaginary)};
  } else {
    return {static_cast<Part>(from), Part{0}};
  }
}

template <typename Part>
ACLHOST_INLINE Complex<Part> make_complex(Part real, Part imaginary) {
  return {real, imaginary};
}
template <typename Part>
ACLHOST_INLINE Part real_part(Complex<Part> z) {
  return z.real;
}
template <typename Part>
ACLHOST_INLINE Part imaginary_part(Complex<Part> z) {
  return z.imaginary;
}
template <typename Part>
ACLHOST_INLINE Complex<Part> conjugate(Complex<Part> z) {
  return {z.real, -z.imaginary};
}
// z / |z|, and 0 for 0.
template <typename Part>
ACLHOST_INLINE Complex<Part> unit(Complex<Part> z) {
  const double size = math::size_of(z), divisor = size == 0 ? 1.0 : size;
  const double real = z.real / divisor, imaginary = z.imaginary / divisor;
  return {static_cast<Part>(size == 0 ? 0.0 : real),
          static_cast<Part>(size == 0 ? 0.0 : imaginary)};
}
// In double no square of floats overflows, so that one quotient will do.
ACLHOST_INLINE Complex<float> inverse(Complex<float> z) {
  constexpr double kMost = 0x1p200;  // for infinity, whose inverse is 0
  const double a = math::clamp<double>(z.real, -kMost, kMost);
  const double b = math::clamp<double>(z.imaginary, -kMost, kMost);
  const double square = a * a + b * b, factor = 1 / square;
  const double real = square == 0 ? factor : a * factor;
  return {static_cast<float>(real), static_cast<float>(-b * factor)};
}
ACLHOST_INLINE Complex<double> inverse(Complex<double> z) { return Complex<double>{1, 0} / z; }

template <typename Part>
ACLHOST_INLINE bool is_nan(Complex<Part> z) {
  return (z.real != z.real) | (z.imaginary != z.imaginary);
}
template <typename Part>
ACLHOST_INLINE bool is_infinite(Complex<Part> z) {
  return (math::magnitude_of(z.real) == math::kInfinity<Part>) |
         (math::magnitude_of(z.imaginary) == math::kInfinity<Part>);
}
template <typename Part>
ACLHOST_INLINE bool is_finite(Complex<Part> z) {
  return (math::magnitude_of(z.real) < math::kInfinity<Part>)&(math::magnitude_of(z.imaginary) <
                                                               math::kInfinity<Part>);
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
