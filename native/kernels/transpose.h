// SPDX-License-Identifier: Apache-2.0
// Copies a matrix whose columns lie in memory one by one to one whose rows do.
#pragma once

#include <cstdint>

#include "kernels/memory.h"
#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Four elements of each of four columns, `step` apart.
template <typename T>
inline void transpose_4x4(const T* from, int64_t step, T* to, int64_t row_length) {
  using V = Vector<BitsOf<T>, 4>;
  const V a = load_vector<V>(from), b = load_vector<V>(from + step);
  const V c = load_vector<V>(from + 2 * step), d = load_vector<V>(from + 3 * step);
  const V ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const V ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const V cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_vector(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_vector(to + row_length, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_vector(to + 2 * row_length, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_vector(to + 3 * row_length, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

// Columns begin `step` elements apart.
template <typename T>
void transpose(const T* from, int64_t step, int64_t rows, int64_t columns, T* to) {
  const int64_t even_rows = rows / 4 * 4, even_columns = columns / 4 * 4;
  for (int64_t column = 0; column < even_columns; column += 4) {
    for (int64_t row = 0; row < even_rows; row += 4) {
      transpose_4x4(from + row + column * step, step, to + row * columns + column, columns);
    }
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = row < even_rows ? even_columns : 0; column < columns; ++column) {
      to[row * columns + column] = from[row + column * step];
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
