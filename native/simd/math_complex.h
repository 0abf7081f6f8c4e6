// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers, computed in double; not vectorised. Some have others beside them
// for moderate numbers (math_complex_near.h).
//
// Defined in math_complex.cc: <complex> takes longer to read than all loops of an operator.
#pragma once

#include "simd/convert.h"
#include "simd/math_core.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

namespace complex {

Complex<double> exp(const Complex<double>& z);
Complex<double> log(const Complex<double>& z);
Complex<double> sqrt(const Complex<double>& z);
Complex<double> sin(const Complex<double>& z);
Complex<double> cos(const Complex<double>& z);
Complex<double> tan(const Complex<double>& z);
Complex<double> sinh(const Complex<double>& z);
Complex<double> cosh(const Complex<double>& z);
Complex<double> tanh(const Complex<double>& z);
Complex<double> asinh(const Complex<double>& z);
Complex<double> acosh(const Complex<double>& z);
Complex<double> atanh(const Complex<double>& z);
Complex<double> pow(const Complex<double>& z, const Complex<double>& w);

}  // namespace complex

template <typename Part>
inline Complex<double> in_double(const Complex<Part>& z) {
  return {static_cast<double>(z.real), static_cast<double>(z.imaginary)};
}
template <typename Part>
inline Complex<Part> rounded(const Complex<double>& z) {
  return {static_cast<Part>(z.real), static_cast<Part>(z.imaginary)};
}

#define ACLHOST_COMPLEX_FUNCTION(name)                 \
  namespace complex {                                  \
  Complex<double> name(const Complex<double>& z);      \
  }                                                    \
  template <typename Part>                             \
  inline Complex<Part> name(const Complex<Part>& z) {  \
    return rounded<Part>(complex::name(in_double(z))); \
  }
ACLHOST_COMPLEX_FUNCTION(asin)
ACLHOST_COMPLEX_FUNCTION(acos)
ACLHOST_COMPLEX_FUNCTION(atan)
ACLHOST_COMPLEX_FUNCTION(reciprocal)
#undef ACLHOST_COMPLEX_FUNCTION

// |z|. No square of a float overflows in double, or underflows.
ACLHOST_INLINE double size_of(const Complex<float>& z) {
  const double a = z.real, b = z.imaginary, size = __builtin_sqrt(a * a + b * b);
  const bool infinite =
      (magnitude_of(a) == kInfinity<double>) | (magnitude_of(b) == kInfinity<double>);
  return infinite ? kInfinity<double> : size;
}
// The root of x * x + y * y within 0.9 ulp: what rounding the squares and their sum loses comes
// back. Where squares would leave the range, both are multiplied by a power of two.
ACLHOST_INLINE double hypot(double x, double y) {
  const double a = magnitude_of(x), b = magnitude_of(y), most = a < b ? b : a;
  const double up = most < 0x1p-450 ? 0x1p600 : 1.0, scale = most > 0x1p500 ? 0x1p-600 : up;
  const double down = most < 0x1p-450 ? 0x1p-600 : 1.0, back = most > 0x1p500 ? 0x1p600 : down;
  const double more = scale * most, less = scale * (a < b ? a : b);
  const double first = more * more, second = less * less, sum = first + second;
  const double lost = fused_multiply_add(more, more, -first) +
                      fused_multiply_add(less, less, -second) + (second - (sum - first));
  const double size = back * __builtin_sqrt(sum + lost);
  const bool infinite = (a == kInfinity<double>) | (b == kInfinity<double>);
  return infinite ? kInfinity<double> : size;
}
ACLHOST_INLINE double size_of(const Complex<double>& z) { return hypot(z.real, z.imaginary); }
template <typename Part>
ACLHOST_INLINE Part abs(const Complex<Part>& z) {
  return static_cast<Part>(size_of(z));
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
