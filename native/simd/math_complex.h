// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers, by std::complex<double>; not vectorised.
#pragma once

#include <complex>

#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {

template <typename Part>
inline std::complex<double> to_standard(const Complex<Part>& z) {
  return {z.real, z.imaginary};
}
template <typename Part>
inline Complex<Part> from_standard(const std::complex<double>& z) {
  return {static_cast<Part>(z.real()), static_cast<Part>(z.imag())};
}

#define ACLHOST_COMPLEX_FUNCTION(name)                     \
  template <typename Part>                                 \
  inline Complex<Part> name(const Complex<Part>& z) {      \
    return from_standard<Part>(std::name(to_standard(z))); \
  }
ACLHOST_COMPLEX_FUNCTION(exp)
ACLHOST_COMPLEX_FUNCTION(log)
ACLHOST_COMPLEX_FUNCTION(sqrt)
ACLHOST_COMPLEX_FUNCTION(sin)
ACLHOST_COMPLEX_FUNCTION(cos)
ACLHOST_COMPLEX_FUNCTION(tan)
ACLHOST_COMPLEX_FUNCTION(sinh)
ACLHOST_COMPLEX_FUNCTION(cosh)
ACLHOST_COMPLEX_FUNCTION(tanh)
ACLHOST_COMPLEX_FUNCTION(asin)
ACLHOST_COMPLEX_FUNCTION(acos)
ACLHOST_COMPLEX_FUNCTION(atan)
ACLHOST_COMPLEX_FUNCTION(asinh)
ACLHOST_COMPLEX_FUNCTION(acosh)
ACLHOST_COMPLEX_FUNCTION(atanh)
#undef ACLHOST_COMPLEX_FUNCTION

template <typename Part>
inline Complex<Part> reciprocal(const Complex<Part>& z) {
  return from_standard<Part>(1.0 / to_standard(z));
}
template <typename Part>
inline Part abs(const Complex<Part>& z) {
  return static_cast<Part>(std::abs(to_standard(z)));
}

// z^0 is 1; e^(w log z) would make it NaN for z = 0.
template <typename Part>
inline Complex<Part> pow(const Complex<Part>& z, const Complex<Part>& w) {
  const std::complex<double> base = to_standard(z), exponent = to_standard(w);
  if (exponent == 0.0) return {Part{1}, Part{0}};
  if (base == 0.0 && exponent.real() > 0) return {Part{0}, Part{0}};
  return from_standard<Part>(std::pow(base, exponent));
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
