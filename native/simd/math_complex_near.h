// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers whose parts are moderate, in double, so that loops vectorise:
// Note [Near operands] in engines/loops.h. All others are the C library's.
#pragma once

#include "simd/math_complex.h"
#include "simd/math_double.h"
#include "simd/math_double_angles.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace math {
namespace complex {

ACLHOST_INLINE bool is_finite(double x) { return magnitude_of(x) < kInfinity<double>; }
ACLHOST_INLINE bool is_moderate(double x) {
  const double size = magnitude_of(x);
  return ((size <= 300) & (size >= 0x1p-500)) | (size == 0);
}
ACLHOST_INLINE bool is_moderate(const Complex<double>& z) {
  return is_moderate(z.real) & is_moderate(z.imaginary);
}
// An exponent whose power neither overflows nor is brought back by a sine or cosine, and whose
// hyperbolic sine keeps its bits, and an angle. Infinity and NaN are no trouble.
ACLHOST_INLINE bool is_exponent(double x) {
  const double size = magnitude_of(x);
  const bool between = ((size > 700) & (size < 1500)) | ((size > 0) & (size < 0x1p-500));
  return !between;
}
ACLHOST_INLINE bool is_angle(double x) {
  const double size = magnitude_of(x);
  return !((size > kMostModerate) & (size < kInfinity<double>));
}
ACLHOST_INLINE bool is_exponent_and_angle(const Complex<double>& z) {
  return is_exponent(z.real) & is_angle(z.imaginary);
}
ACLHOST_INLINE bool is_angle_and_exponent(const Complex<double>& z) {
  return is_angle(z.real) & is_exponent(z.imaginary);
}

struct Turn {
  ACLHOST_INLINE explicit Turn(double x) {
    const QuarterTurned turned(x);
    const SineAndCosine of(turned.rest, turned.low);
    const double sine_of_rest = of.sine + of.sine_low, cosine_of_rest = of.cosine + of.cosine_low;
    sine = negative_if_odd(turned.number >> 1,
                           choose_if_odd(turned.number, cosine_of_rest, sine_of_rest));
    cosine = negative_if_odd((turned.number + 1) >> 1,
                             choose_if_odd(turned.number, sine_of_rest, cosine_of_rest));
  }
  double sine;
  double cosine;
};

// x times the cosine and the sine of an angle. Without an angle 0 and infinity stay what they are,
// and an angle of 0 makes 0 of infinity. What x is the callers tell: no compiler vectorises the
// question.
ACLHOST_INLINE double times_cosine(double x, bool stays, double cosine, double angle) {
  return stays & !is_finite(angle) ? x : x * cosine;
}
ACLHOST_INLINE double times_sine(double x, bool is_zero, double sine, double angle) {
  const double zero = from_bits((bits_of(x) ^ bits_of(angle)) & kSignBit<double>);
  const bool vanishes = (angle == 0) | (is_zero & !is_finite(angle));
  return vanishes ? zero : x * sine;
}

ACLHOST_INLINE Complex<double> exp_near(const Complex<double>& z) {
  const double size = math::exp(z.real), angle = z.imaginary;
  const bool is_infinite = magnitude_of(z.real) == kInfinity<double>;
  const Turn turn(angle);
  return {times_cosine(size, is_infinite, turn.cosine, angle),
          times_sine(size, is_infinite & (z.real < 0), turn.sine, angle)};
}
struct SinhAndCosh {
  ACLHOST_INLINE explicit SinhAndCosh(double x) {
    const double size = magnitude_of(x);
    const WideHyperbolic of(size > 710.5 ? 710.5 : size);
    sinh = with_sign_of(of.sinh, x);
    cosh = of.cosh;
    is_infinite = size == kInfinity<double>;
  }
  double sinh;
  double cosh;
  bool is_infinite;
};
ACLHOST_INLINE Complex<double> sinh_near(const Complex<double>& z) {
  const SinhAndCosh of(z.real);
  const Turn turn(z.imaginary);
  return {times_cosine(of.sinh, of.is_infinite | (z.real == 0), turn.cosine, z.imaginary),
          times_sine(of.cosh, false, turn.sine, z.imaginary)};
}
ACLHOST_INLINE Complex<double> cosh_near(const Complex<double>& z) {
  const SinhAndCosh of(z.real);
  const Turn turn(z.imaginary);
  return {times_cosine(of.cosh, of.is_infinite, turn.cosine, z.imaginary),
          times_sine(of.sinh, z.real == 0, turn.sine, z.imaginary)};
}
// Those of the plane turned by a quarter.
ACLHOST_INLINE Complex<double> sin_near(const Complex<double>& z) {
  const Complex<double> turned = sinh_near({-z.imaginary, z.real});
  return {turned.imaginary, -turned.real};
}
ACLHOST_INLINE Complex<double> cos_near(const Complex<double>& z) {
  return cosh_near({-z.imaginary, z.real});
}
ACLHOST_INLINE Complex<double> tanh_near(const Complex<double>& z) {
  const SinhAndCosh of(z.real);
  const Turn turn(z.imaginary);
  const double divisor = of.sinh * of.sinh + turn.cosine * turn.cosine;
  const double imaginary = turn.sine * turn.cosine / divisor;
  return {of.sinh * of.cosh / divisor, z.imaginary == 0 ? z.imaginary : imaginary};
}
ACLHOST_INLINE Complex<double> tan_near(const Complex<double>& z) {
  const Complex<double> turned = tanh_near({-z.imaginary, z.real});
  return {turned.imaginary, -turned.real};
}

ACLHOST_INLINE Complex<double> sqrt_near(const Complex<double>& z) {
  const double real = magnitude_of(z.real), imaginary = magnitude_of(z.imaginary);
  const double size = __builtin_sqrt(real * real + imaginary * imaginary);
  const double greater = __builtin_sqrt(0.5 * (real + size));
  const double quotient = imaginary / (2 * greater), less = imaginary == 0 ? 0.0 : quotient;
  const bool is_left = z.real < 0;
  return {is_left ? less : greater, with_sign_of(is_left ? greater : less, z.imaginary)};
}

// log |z| = log(|z|^2) / 2. Near 1 the square less one is exact beside the angle.
ACLHOST_INLINE Complex<double> log_near(const Complex<double>& z) {
  const double real = magnitude_of(z.real), imaginary = magnitude_of(z.imaginary);
  const double more = real < imaginary ? imaginary : real,
               less = real < imaginary ? real : imaginary;
  const bool is_near_one = (more > 0.5) & (more < 2);
  const double less_one = (more - 1) * (more + 1) + less * less, sum_near_one = 1 + less_one;
  const double sum = is_near_one ? sum_near_one : more * more + less * less;
  const double lost = is_near_one ? less_one - (sum_near_one - 1) : 0.0;
  return {0.5 * log_of_sum(sum, lost), math::atan2(z.imaginary, z.real)};
}

// log |(1 + z) / (1 - z)| / 2 and half its angle.
ACLHOST_INLINE Complex<double> atanh_near(const Complex<double>& z) {
  const double size = magnitude_of(z.real), rest = 1 - size, square = z.imaginary * z.imaginary;
  const double real = 0.25 * math::log1p(4 * size / (rest * rest + square));
  return {with_sign_of(magnitude_of(real), z.real),
          0.5 * math::atan2(2 * z.imaginary, rest * (1 + size) - square)};
}
// By the roots of z - 1 and z + 1, or of 1 - iz and 1 + iz, whose products have no parts that
// cancel (Kahan).
ACLHOST_INLINE Complex<double> acosh_near(const Complex<double>& z) {
  const Complex<double> less = sqrt_near({z.real - 1, z.imaginary});
  const Complex<double> more = sqrt_near({z.real + 1, z.imaginary});
  return {math::asinh(less.real * more.real + less.imaginary * more.imaginary),
          2 * math::atan2(less.imaginary, more.real)};
}
ACLHOST_INLINE Complex<double> asinh_near(const Complex<double>& z) {
  const Complex<double> less = sqrt_near({1 + z.imaginary, -z.real});
  const Complex<double> more = sqrt_near({1 - z.imaginary, z.real});
  return {math::asinh(less.real * more.imaginary - less.imaginary * more.real),
          math::atan2(z.imaginary, less.real * more.real - less.imaginary * more.imaginary)};
}

// e^(w log z)
ACLHOST_INLINE Complex<double> power_of_log(const Complex<double>& logarithm,
                                            const Complex<double>& w) {
  return exp_near({w.real * logarithm.real - w.imaginary * logarithm.imaginary,
                   w.real * logarithm.imaginary + w.imaginary * logarithm.real});
}
ACLHOST_INLINE Complex<double> power_near(const Complex<double>& z, const Complex<double>& w) {
  return power_of_log(log_near(z), w);
}
// Where neither underflows or overflows, and 0 is not among them.
ACLHOST_INLINE bool is_power_near(const Complex<double>& z, const Complex<double>& w) {
  const double real = magnitude_of(z.real), imaginary = magnitude_of(z.imaginary);
  const double more = real < imaginary ? imaginary : real;
  return (more >= 0x1p-16) & (more <= 0x1p16) & (magnitude_of(w.real) <= 16) &
         (magnitude_of(w.imaginary) <= 16) & ((w.real != 0) | (w.imaginary != 0));
}

}  // namespace complex

#define ACLHOST_NEAR_FUNCTION(name, moderate)                                               \
  template <typename Part>                                                                  \
  ACLHOST_INLINE bool name##_is_near(const Complex<Part>& z) {                              \
    return complex::moderate(in_double(z));                                                 \
  }                                                                                         \
  template <typename Part>                                                                  \
  ACLHOST_INLINE Complex<Part> name##_near(const Complex<Part>& z) {                        \
    return rounded<Part>(complex::name##_near(in_double(z)));                               \
  }                                                                                         \
  template <typename Part>                                                                  \
  inline Complex<Part> name(const Complex<Part>& z) {                                       \
    return name##_is_near(z) ? name##_near(z) : rounded<Part>(complex::name(in_double(z))); \
  }
ACLHOST_NEAR_FUNCTION(exp, is_exponent_and_angle)
ACLHOST_NEAR_FUNCTION(sin, is_angle_and_exponent)
ACLHOST_NEAR_FUNCTION(cos, is_angle_and_exponent)
ACLHOST_NEAR_FUNCTION(sinh, is_exponent_and_angle)
ACLHOST_NEAR_FUNCTION(cosh, is_exponent_and_angle)
ACLHOST_NEAR_FUNCTION(tan, is_moderate)
ACLHOST_NEAR_FUNCTION(tanh, is_moderate)
ACLHOST_NEAR_FUNCTION(sqrt, is_moderate)
ACLHOST_NEAR_FUNCTION(log, is_moderate)
ACLHOST_NEAR_FUNCTION(atanh, is_moderate)
ACLHOST_NEAR_FUNCTION(acosh, is_moderate)
ACLHOST_NEAR_FUNCTION(asinh, is_moderate)
#undef ACLHOST_NEAR_FUNCTION

template <typename Part>
ACLHOST_INLINE bool power_is_near(const Complex<Part>& z, const Complex<Part>& w) {
  return complex::is_power_near(in_double(z), in_double(w));
}
template <typename Part>
ACLHOST_INLINE Complex<Part> power_near(const Complex<Part>& z, const Complex<Part>& w) {
  return rounded<Part>(complex::power_near(in_double(z), in_double(w)));
}
// The same where one z stands for all elements, by its logarithm, which loops do not compute again.
template <typename Part>
inline Complex<double> log_of_number(const Complex<Part>& z) {
  return complex::log_near(in_double(z));
}
template <typename Part>
ACLHOST_INLINE Complex<Part> power_of_log(const Complex<double>& logarithm,
                                          const Complex<Part>& w) {
  return rounded<Part>(complex::power_of_log(logarithm, in_double(w)));
}
template <typename Part>
inline Complex<Part> pow(const Complex<Part>& z, const Complex<Part>& w) {
  return power_is_near(z, w) ? power_near(z, w)
                             : rounded<Part>(complex::pow(in_double(z), in_double(w)));
}

}  // namespace math
}  // namespace ACLHOST_ISA
}  // namespace aclhost
