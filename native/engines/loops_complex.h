// SPDX-License-Identifier: Apache-2.0
// Arithmetic of complex numbers. Products and quotients are formed in double, so that parts of
// Complex<float> are rounded once.
#pragma once

#include <cmath>

#include "simd/math.h"

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
// GCC fuses products with the sums of one part and the differences of the other, although
// -ffp-contract=off forbids it: other bits where the processor can do that.
ACLHOST_INLINE double rounded_product(double x, double y) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
  return __builtin_assoc_barrier(x * y);
#else
  return x * y;
#endif
}
template <typename Part>
ACLHOST_INLINE Complex<Part> operator*(Complex<Part> x, Complex<Part> y) {
  const double a = x.real, b = x.imaginary, c = y.real, d = y.imaginary;
  return {static_cast<Part>(rounded_product(a, c) - rounded_product(b, d)),
          static_cast<Part>(rounded_product(a, d) + rounded_product(b, c))};
}
// Smith's way: the divisor's greater part is divided out, so that no square overflows.
template <typename Part>
ACLHOST_INLINE Complex<Part> operator/(Complex<Part> x, Complex<Part> y) {
  const double a = x.real, b = x.imaginary, c = y.real, d = y.imaginary;
  if (c == 0 && d == 0) {
    return {static_cast<Part>(a / std::fabs(c)), static_cast<Part>(b / std::fabs(d))};
  }
  if (std::fabs(c) >= std::fabs(d)) {
    const double ratio = d / c, scale = c + rounded_product(d, ratio);
    return {static_cast<Part>((a + rounded_product(b, ratio)) / scale),
            static_cast<Part>((b - rounded_product(a, ratio)) / scale)};
  }
  const double ratio = c / d, scale = rounded_product(c, ratio) + d;
  return {static_cast<Part>((rounded_product(a, ratio) + b) / scale),
          static_cast<Part>((rounded_product(b, ratio) - a) / scale)};
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
inline Complex<Part> unit(Complex<Part> z) {
  const double size = std::hypot(static_cast<double>(z.real), static_cast<double>(z.imaginary));
  if (size == 0) return {};
  return {static_cast<Part>(z.real / size), static_cast<Part>(z.imaginary / size)};
}

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
