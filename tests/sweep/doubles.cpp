// SPDX-License-Identifier: Apache-2.0
// Compares the functions of double that vectorise with long double, on pseudo-random numbers.
//
//   doubles COUNT      prints for each function its name, the largest error in ulp, the inputs
//   where
//                      it occurs, and a checksum of all results
//
// Of COUNT inputs a half is spread over a range where the function changes much, a half over all
// magnitudes. Special values and neighbours of multiples of pi / 2 are always among them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "simd/math.h"

namespace sweep {
namespace {

namespace math = aclhost::math;
using Wide = long double;

constexpr Wide kPi = 3.14159265358979323846264338327950288L;

struct Function {
  const char* name;
  double range;  // from its negative
  double most;   // the largest magnitude
  void (*loop)(const double* x, const double* y, double* out, std::size_t count);
  Wide (*reference)(Wide x, Wide y);
};

Wide sinc(Wide x) {
  const Wide rest = std::remainder(x, 2.0L), size = std::fabs(rest);
  if (x == 0) return 1;
  if (size == 0 || size == 1 || std::isinf(x)) return 0;
  const Wide part = std::min(size, 1 - size);  // sin is exact next to 0, cos next to its summit
  const Wide sine = part < 0.25L ? std::sin(kPi * part) : std::cos(kPi * (0.5L - part));
  return std::copysign(sine, rest) / (kPi * x);
}
Wide log1p_exp(Wide x) { return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))); }

#define UNARY(name, range, most, reference_of_x)                        \
  {#name, range, most,                                                  \
   [](const double* x, const double*, double* out, std::size_t count) { \
     for (std::size_t k = 0; k < count; ++k) out[k] = math::name(x[k]); \
   },                                                                   \
   [](Wide x, Wide) -> Wide { return reference_of_x; }}
#define BINARY(name, range, most, reference_of_x_and_y)                       \
  {#name, range, most,                                                        \
   [](const double* x, const double* y, double* out, std::size_t count) {     \
     for (std::size_t k = 0; k < count; ++k) out[k] = math::name(x[k], y[k]); \
   },                                                                         \
   [](Wide x, Wide y) -> Wide { return reference_of_x_and_y; }}

const double kAny = INFINITY, kNear = math::kMostModerate;
const Function kFunctions[] = {
    UNARY(exp, 750, kAny, std::exp(x)),       UNARY(exp2, 1080, kAny, std::exp2(x)),
    UNARY(expm1, 4, kAny, std::expm1(x)),     UNARY(sigmoid, 40, kAny, 1 / (1 + std::exp(-x))),
    UNARY(log, 4, kAny, std::log(x)),         UNARY(log2, 4, kAny, std::log2(x)),
    UNARY(log10, 4, kAny, std::log10(x)),     UNARY(log1p, 2, kAny, std::log1p(x)),
    UNARY(log1p_exp, 40, kAny, log1p_exp(x)), UNARY(sinh, 4, kAny, std::sinh(x)),
    UNARY(cosh, 4, kAny, std::cosh(x)),       UNARY(atanh, 1, kAny, std::atanh(x)),
    UNARY(sin_near, 12, kNear, std::sin(x)),  UNARY(cos_near, 12, kNear, std::cos(x)),
    UNARY(tan_near, 12, kNear, std::tan(x)),  UNARY(sinc, 12, kAny, sinc(x)),
    UNARY(asin, 1, kAny, std::asin(x)),       UNARY(acos, 1, kAny, std::acos(x)),
    UNARY(asinh, 4, kAny, std::asinh(x)),     UNARY(acosh, 4, kAny, std::acosh(x)),
    UNARY(atan, 4, kAny, std::atan(x)),       UNARY(erf, 6, kAny, std::erf(x)),
    UNARY(erfc, 28, kAny, std::erfc(x)),      BINARY(atan2, 4, kAny, std::atan2(x, y)),
    BINARY(pow, 8, kAny, std::pow(x, y)),     BINARY(fmod_near, 100, kAny, std::fmod(x, y)),
    BINARY(hypot, 4, kAny, std::hypot(x, y)),
};

#undef UNARY
#undef BINARY

// What has no finite error is infinite: NaN for a number, a number for NaN, 0 with the wrong sign.
double error_in_ulp(double result, Wide reference) {
  const double rounded = static_cast<double>(reference);
  if (std::isnan(result) || std::isnan(rounded)) {
    return std::isnan(result) && std::isnan(rounded) ? 0 : INFINITY;
  }
  if (result == 0 && std::signbit(result) != std::signbit(rounded)) return INFINITY;
  // An infinite result is what follows the largest double.
  const Wide wide = std::isinf(result) ? std::copysign(0x1p1024L, result) : Wide{result};
  const Wide wanted = std::fmax(std::fmin(reference, 0x1p1024L), -0x1p1024L);
  const Wide size = std::fmax(std::fmin(std::fabs(wanted), 0x1p1023L), 0x1p-1022L);
  return static_cast<double>(std::fabs(wide - wanted) / std::ldexp(1.0L, std::ilogb(size) - 52));
}

class Random {
 public:
  uint64_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ ^ (state_ >> 29)) * 0x9E3779B97F4A7C15u;
  }
  double number(double range) { return range * (static_cast<double>(bits() >> 11) * 0x1p-52 - 1); }
  double of_any_size() { return math::from_bits(bits()); }

 private:
  uint64_t state_ = 1;
};

std::vector<double> special_values() {
  const double centres[] = {
      0x1p-1074, 0x1p-1022, 0x1p-53,  0.25,    0.375,  0.5,    0.8,
      1.0,       1.5,       2.0,      3.0,     6.0,    28.0,   36.750238774045314,
      709.79,    745.14,    710.4758, 1023.0,  1024.0, 1075.0, 0x1p51,
      0x1p52,    0x1p53,    0x1p1000, 0x1p1023};
  std::vector<double> values = {0.0, INFINITY, NAN, 0x1.fffffffffffffp1023};
  const auto add_around = [&](double centre) {
    for (uint64_t offset = 0; offset < 5; ++offset) {
      values.push_back(math::from_bits(math::bits_of(centre) + offset - (centre > 1e-300 ? 2 : 0)));
    }
  };
  for (const double centre : centres) add_around(centre);
  for (int turns = 1; turns < 8000; turns += turns < 40 ? 1 : 97) {
    add_around(static_cast<double>(turns * kPi / 2));
  }
  const std::size_t count = values.size();
  for (std::size_t k = 0; k < count; ++k) values.push_back(-values[k]);
  return values;
}

struct Inputs {
  std::vector<double> x, y;
};
// The second of the two is of any size, or of one with which pow stays finite.
Inputs inputs_of(const Function& function, std::size_t count) {
  Inputs inputs;
  Random random;
  const std::vector<double> special = special_values();
  for (const double x : special) {
    inputs.x.push_back(x);
    inputs.y.push_back(special[random.bits() % special.size()]);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double x = k % 2 == 0 ? random.number(function.range) : random.of_any_size();
    const double most = 1074 / std::fmax(0x1p-52, std::fabs(std::log2(std::fabs(x))));
    const double partners[] = {random.number(function.range), random.number(most), x / 3};
    inputs.x.push_back(x);
    inputs.y.push_back(partners[random.bits() % 3]);
  }
  for (double& x : inputs.x) {
    if (std::fabs(x) > function.most) x = random.number(function.most);
  }
  return inputs;
}

void judge(const Function& function, std::size_t wanted) {
  const Inputs inputs = inputs_of(function, wanted);
  const std::size_t count = inputs.x.size();
  std::vector<double> out(count);
  function.loop(inputs.x.data(), inputs.y.data(), out.data(), count);
  double worst = 0;
  std::size_t at = 0;
  uint64_t checksum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = inputs.x[k], y = inputs.y[k];
    checksum = checksum * 0x9E3779B97F4A7C15u + (out[k] == out[k] ? math::bits_of(out[k]) : 1);
    const bool asked = std::strcmp(function.name, "fmod_near") != 0 || math::is_near(x, y);
    const double error = asked ? error_in_ulp(out[k], function.reference(x, y)) : 0;
    if (error > worst) {
      worst = error;
      at = k;
    }
  }
  std::printf("%s %.4f %a %a %016llx\n", function.name, worst, inputs.x[at], inputs.y[at],
              static_cast<unsigned long long>(checksum));
}

}  // namespace
}  // namespace sweep

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::size_t wanted = std::strtoull(arguments[1], nullptr, 10);
  for (const sweep::Function& function : sweep::kFunctions) sweep::judge(function, wanted);
  return 0;
}
