// SPDX-License-Identifier: Apache-2.0
#include "simd/math_complex.h"

#include <complex>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {
namespace complex {
namespace {

std::complex<double> standard(const Complex<double>& z) { return {z.real, z.imaginary}; }

Complex<double> own(const std::complex<double>& z) { return {z.real(), z.imag()}; }

}  // namespace

#define ACLHOST_COMPLEX_FUNCTION(name) \
  Complex<double> name(const Complex<double>& z) { return own(std::name(standard(z))); }
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

Complex<double> reciprocal(const Complex<double>& z) { return own(1.0 / standard(z)); }

// z^0 is 1; e^(w log z) would make it NaN for z = 0.
Complex<double> pow(const Complex<double>& z, const Complex<double>& w) {
  const std::complex<double> base = standard(z), exponent = standard(w);
  if (exponent == 0.0) return {1, 0};
  if (base == 0.0 && exponent.real() > 0) return {0, 0};
  return own(std::pow(base, exponent));
}

}  // namespace complex
}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
