// SPDX-License-Identifier: Apache-2.0
// Products of matrices that lie ready in memory, on the calling thread: small ones as in
// small_products.h, others by OpenBLAS where it is, by a plain loop otherwise. Engines cut larger
// work into such products: gemm.h.
#pragma once

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Strides in elements. One of them is 1, the other at least the length that it steps over; a stride
// over a single row or column says nothing.
template <typename T>
struct Matrix {
  const T* data;
  int64_t row_stride;
  int64_t column_stride;
};

// c = a b, or c += a b, with a of m rows and b of n columns; rows of c are arrays. For float and
// double, and for uint8_t, uint32_t and uint64_t, which wrap. The order of sums follows from sizes
// and strides. No length or stride exceeds 31 bits.
template <typename T>
void multiply(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, T* c,
              int64_t c_stride, bool add);

// Whether multiply() is fast for a second factor whose columns are arrays.
template <typename T>
bool multiplies_columns();

}  // namespace ACLHOST_ISA
}  // namespace aclhost
