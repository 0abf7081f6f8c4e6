// SPDX-License-Identifier: Apache-2.0
// Products of arrays of complex numbers, the same as those of operator*. Their parts stay beside
// each other in a vector: taking them apart, which the compiler does, costs more than the products.
#pragma once

#include "engines/loops_complex.h"
#include "simd/permute.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

// The parts of the numbers from i on, of an array or of one that stands for all.
template <typename Part>
inline Vector<Part> parts_at(const Complex<Part>* z, int64_t i) {
  return load_vector<Vector<Part>>(z + i);
}
template <typename Part>
inline Vector<Part> parts_at(Complex<Part> z, int64_t) {
  Vector<Part> parts;
  for (int lane = 0; lane < kLanes<Part>; ++lane) parts[lane] = lane % 2 ? z.imaginary : z.real;
  return parts;
}

// a * b + c * d, as of numbers.
inline Vector<double> sum_of_products(Vector<double> a, Vector<double> b, Vector<double> c,
                                      Vector<double> d) {
  return rounded_product(a, b) + rounded_product(c, d);
}
#if defined(__FMA__) || defined(__aarch64__)
constexpr bool kMultipliesParts = true;
#else
constexpr bool kMultipliesParts = false;  // the sum of float products is rounded once
#endif
inline Vector<float> sum_of_products(Vector<float> a, Vector<float> b, Vector<float> c,
                                     Vector<float> d) {
  const Vector<float> product = c * d, lost = multiply_add(c, d, -product);
  const Vector<float> sum = multiply_add(a, b, product), result = sum + lost;
  return result == result ? result : sum;
}

// x and y are arrays or numbers.
template <typename X, typename Y, typename Part>
inline void multiply_arrays(X x, Y y, Complex<Part>* out, int64_t n) {
  using V = Vector<Part>;
  constexpr int64_t kStep = kLanes<Part> / 2;
  int64_t i = 0;
  if constexpr (kMultipliesParts) {
    using Bits = UnsignedOf<V>;
    const Bits real_sign = bit_cast<Bits>(parts_at(Complex<Part>{-Part{0}, Part{0}}, 0));
    for (; i + kStep <= n; i += kStep) {
      const V of_x = parts_at(x, i), of_y = parts_at(y, i), imaginary = imaginary_parts(of_x);
      const V turned = bit_cast<V>(bit_cast<Bits>(imaginary) ^ real_sign);
      store_vector(out + i, sum_of_products(real_parts(of_x), of_y, turned, swapped_parts(of_y)));
    }
  }
  for (; i < n; ++i) out[i] = element(x, i) * element(y, i);
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
