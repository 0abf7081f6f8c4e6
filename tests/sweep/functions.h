// SPDX-License-Identifier: Apache-2.0
// The functions under test, each with a reference that is exact enough to judge floats.
#pragma once

#include <cmath>
#include <cstddef>

#include "simd/math.h"
#include "simd/math_gamma.h"

namespace sweep {

namespace math = aclhost::math;

constexpr long double kPi = 3.14159265358979323846264338327950288L;

enum class Symmetry { kNone, kEven, kOdd };
enum class Shape { kSmooth, kSteps };

struct Unary {
  const char* name;
  Symmetry symmetry;
  Shape shape;
  void (*loop)(const float* in, float* out, std::size_t count);
  double (*reference)(double x);
};
struct Binary {
  const char* name;
  void (*loop)(const float* left, const float* right, float* out, std::size_t count);
  double (*reference)(double x, double y);
};

inline double sinc_reference(double x) {
  if (x == 0) return 1;
  if (std::isinf(x)) return 0;
  const long double rest = std::remainder(static_cast<long double>(x), 2.0L);
  if (rest == 0 || std::fabs(rest) == 1) return 0;
  return static_cast<double>(std::sin(kPi * rest) / (kPi * x));
}

inline double lgamma_reference(double x) {
  int sign = 0;
  return static_cast<double>(::lgammal_r(x, &sign));
}

// The recurrence up to 20, from where eight terms of the series are more exact than long double.
inline long double digamma_of_positive(long double x) {
  long double sum = 0;
  for (; x < 20; x += 1) sum -= 1 / x;
  const long double terms[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                               1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  long double series = 0, power = 1;
  for (const long double term : terms) series += term * (power /= x * x);
  return sum + std::log(x) - 0.5L / x - series;
}
inline double digamma_reference(double x) {
  if (x == 0) return std::copysign(INFINITY, -x);
  if (x > 0) return static_cast<double>(digamma_of_positive(x));
  const long double rest = std::remainder(static_cast<long double>(x), 1.0L);
  if (rest == 0 || std::isinf(x)) return NAN;
  const long double cotangent = std::fabs(rest) == 0.5L ? 0 : kPi / std::tan(kPi * rest);
  return static_cast<double>(digamma_of_positive(1 - static_cast<long double>(x)) - cotangent);
}

// Newton's method in long double from the double result.
inline double erfinv_reference(double x) {
  const long double start = math::erfinv(x);
  if (!(std::fabs(x) < 1) || x == 0) return static_cast<double>(start);
  const long double size = std::fabs(start), wanted = std::fabs(x);
  const long double excess =
      wanted < 0.5L ? std::erf(size) - wanted : (1 - wanted) - std::erfc(size);
  const long double slope = 2 / std::sqrt(kPi) * std::exp(-size * size);
  return static_cast<double>(std::copysign(size - excess / slope, static_cast<long double>(x)));
}

inline double remainder_reference(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

#define UNARY(name, symmetry, shape, reference_of_x)                     \
  {#name, Symmetry::symmetry, Shape::shape,                              \
   [](const float* in, float* out, std::size_t count) {                  \
     for (std::size_t k = 0; k < count; ++k) out[k] = math::name(in[k]); \
   },                                                                    \
   [](double x) -> double { return reference_of_x; }}
#define BINARY(name, reference_of_x_and_y)                                           \
  {#name,                                                                            \
   [](const float* left, const float* right, float* out, std::size_t count) {        \
     for (std::size_t k = 0; k < count; ++k) out[k] = math::name(left[k], right[k]); \
   },                                                                                \
   [](double x, double y) -> double { return reference_of_x_and_y; }}

inline const Unary kUnary[] = {
    UNARY(exp, kNone, kSmooth, std::exp(x)),
    UNARY(exp2, kNone, kSmooth, std::exp2(x)),
    UNARY(expm1, kNone, kSmooth, std::expm1(x)),
    UNARY(sigmoid, kNone, kSmooth, 1 / (1 + std::exp(-x))),
    UNARY(log, kNone, kSmooth, std::log(x)),
    UNARY(log2, kNone, kSmooth, std::log2(x)),
    UNARY(log10, kNone, kSmooth, std::log10(x)),
    UNARY(log1p, kNone, kSmooth, std::log1p(x)),
    UNARY(log1p_exp, kNone, kSmooth, (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)))),
    UNARY(sqrt, kNone, kSmooth, std::sqrt(x)),
    UNARY(rsqrt, kNone, kSmooth, 1 / std::sqrt(x)),
    UNARY(sin, kOdd, kSmooth, std::sin(x)),
    UNARY(cos, kEven, kSmooth, std::cos(x)),
    UNARY(tan, kOdd, kSmooth, std::tan(x)),
    UNARY(sinc, kEven, kSmooth, sinc_reference(x)),
    UNARY(asin, kOdd, kSmooth, std::asin(x)),
    UNARY(acos, kNone, kSmooth, std::acos(x)),
    UNARY(atan, kOdd, kSmooth, std::atan(x)),
    UNARY(sinh, kOdd, kSmooth, std::sinh(x)),
    UNARY(cosh, kEven, kSmooth, std::cosh(x)),
    UNARY(tanh, kOdd, kSmooth, std::tanh(x)),
    UNARY(asinh, kOdd, kSmooth, std::asinh(x)),
    UNARY(acosh, kNone, kSmooth, std::acosh(x)),
    UNARY(atanh, kOdd, kSmooth, std::atanh(x)),
    UNARY(erf, kOdd, kSmooth, std::erf(x)),
    UNARY(erfc, kNone, kSmooth, std::erfc(x)),
    UNARY(erfinv, kOdd, kSmooth, erfinv_reference(x)),
    UNARY(lgamma, kNone, kSmooth, lgamma_reference(x)),
    UNARY(digamma, kNone, kSmooth, digamma_reference(x)),
    UNARY(floor, kNone, kSteps, std::floor(x)),
    UNARY(ceil, kNone, kSteps, std::ceil(x)),
    UNARY(trunc, kOdd, kSteps, std::trunc(x)),
    UNARY(round, kOdd, kSteps, std::nearbyint(x)),
};

inline const Binary kBinary[] = {
    BINARY(pow, std::pow(x, y)),
    BINARY(atan2, std::atan2(x, y)),
    BINARY(fmod, std::fmod(x, y)),
    BINARY(remainder, remainder_reference(x, y)),
};

#undef UNARY
#undef BINARY

}  // namespace sweep
