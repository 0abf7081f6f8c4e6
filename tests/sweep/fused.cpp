// SPDX-License-Identifier: Apache-2.0
// Compares fused_multiply_add() with the C library's fma() on pseudo-random and odd numbers, and
// prints how many results are other ones.
//
//   fused COUNT
#include "simd/fused.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

using aclhost::fused_multiply_add;
using aclhost::splat;

uint64_t state = 1;
uint64_t draw() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
int draw(int least, int most) {
  return least + static_cast<int>(draw() % static_cast<uint64_t>(most - least + 1));
}

// Of any size up to a power of two; often with few bits, or many ones.
double number(int power) {
  uint64_t bits = draw() >> 12;
  const uint64_t low = (uint64_t{1} << draw(0, 52)) - 1;
  const int kind = draw(0, 3);
  if (kind == 0) bits &= ~low;
  if (kind == 1) bits |= low;
  const double size = std::ldexp(1 + static_cast<double>(bits) * 0x1p-52, draw(-power, power));
  return draw(0, 1) == 0 ? size : -size;
}

template <typename T>
T near_one() {
  return 1 + std::ldexp(draw(0, 1) == 0 ? T{1} : T{-1}, -draw(1, std::numeric_limits<T>::digits));
}

template <typename T>
bool is_other(T found, T wanted) {
  if (std::isnan(wanted)) return !std::isnan(found);
  return std::memcmp(&found, &wanted, sizeof found) != 0;
}

bool differs(double a, double b, double c) {
  return is_other(fused_multiply_add(a, b, c), std::fma(a, b, c));
}
bool differs(float a, float b, float c) {
  using Floats = aclhost::Vector<float>;
  const float wanted = std::fma(a, b, c);
  const Floats found = fused_multiply_add(splat<Floats>(a), splat<Floats>(b), splat<Floats>(c));
  return is_other(fused_multiply_add(a, b, c), wanted) || is_other(float{found[0]}, wanted);
}

template <typename T>
long differences(int power, long count) {
  using Limits = std::numeric_limits<T>;
  const T odd[] = {0,
                   1,
                   -1,
                   -T{0},
                   Limits::infinity(),
                   -Limits::infinity(),
                   Limits::quiet_NaN(),
                   Limits::max(),
                   Limits::lowest(),
                   Limits::min(),
                   Limits::denorm_min()};
  long found = 0;
  for (const T a : odd) {
    for (const T b : odd) {
      for (const T c : odd) found += differs(a, b, c) ? 1 : 0;
    }
  }
  for (long i = 0; i < count; ++i) {
    const int most = draw(0, 2) == 0 ? power : draw(1, 60);
    T a = static_cast<T>(number(most)), b = static_cast<T>(number(most));
    T c = static_cast<T>(number(most));
    const int kind = draw(0, 3);
    if (kind == 0) c = -(a * b);
    if (kind == 1) {  // beside the middle of two numbers
      a = near_one<T>();
      b = near_one<T>();
      c = std::ldexp(static_cast<T>(number(0)), Limits::digits);
      if (draw(0, 1) == 0) {  // subnormal ones
        const int half = Limits::min_exponent - 1 - Limits::digits;
        a = std::ldexp(a, half / 2);
        b = std::ldexp(b, half - half / 2);
        c = std::ldexp(c, half - draw(0, 2));
      }
    }
    if (kind == 2) c *= a * b;
    if (kind == 3 && draw(0, 3) == 0) {  // a subnormal factor of a normal product
      const int half = Limits::min_exponent - 1 - Limits::digits / 2;
      const int size = draw(-half / 16, -half / 4);
      a = std::ldexp(T{1}, half);
      b = std::ldexp(near_one<T>(), size);
      c = std::ldexp(static_cast<T>(number(0)), half + size + draw(-3, 60));
    }
    found += differs(a, b, c) ? 1 : 0;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  std::printf("%ld %ld\n", differences<float>(127, count), differences<double>(1023, count));
}
