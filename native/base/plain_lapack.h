// SPDX-License-Identifier: Apache-2.0
// What lapack.h has, without LAPACK. Matrices are row-major.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace aclhost {
namespace plain {

template <typename T>
struct PartType {
  using type = T;
};
template <typename Part>
struct PartType<std::complex<Part>> {
  using type = Part;
};
template <typename T>
using Part = typename PartType<T>::type;

template <typename T>
T conjugate(T value) {
  if constexpr (std::is_same_v<T, Part<T>>) {
    return value;
  } else {
    return std::conj(value);
  }
}

// The inverse in place, by the pivots that factorise_lu() finds. False: there is none.
template <int n, typename T>
bool invert_small(T* matrix) {
  T a[n][n];
  int pivots[n];
  std::copy(matrix, matrix + n * n, &a[0][0]);
  for (int j = 0; j < n; ++j) {
    int pivot = j;
    for (int i = j + 1; i < n; ++i) {
      if (std::abs(a[i][j]) > std::abs(a[pivot][j])) pivot = i;
    }
    if (a[pivot][j] == T(0)) return false;
    pivots[j] = pivot;
    if (pivot != j) std::swap_ranges(a[j], a[j] + n, a[pivot]);
    const T divisor = a[j][j];
    a[j][j] = 1;
    for (int i = 0; i < n; ++i) {
      if (i == j) continue;
      const T factor = a[i][j] / divisor;
      a[i][j] = 0;
      for (int c = 0; c < n; ++c) a[i][c] -= factor * a[j][c];
    }
    for (int c = 0; c < n; ++c) a[j][c] /= divisor;
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int i = 0; i < n && pivots[j] != j; ++i) std::swap(a[i][j], a[i][pivots[j]]);
  }
  std::copy(&a[0][0], &a[0][0] + n * n, matrix);
  return true;
}

// The lower factor of a symmetric matrix in its lower half. Square roots of negative numbers are
// NaN, and so is what follows from them.
template <typename T>
void factorise_cholesky(T* a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      T sum = a[i * n + j];
      for (int64_t c = 0; c < j; ++c) sum -= a[i * n + c] * a[j * n + c];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
}

// Lower and upper factor in place, the lower one with a diagonal of 1. Row i comes from
// rows[i]. Returns whether an odd number of rows was exchanged.
template <typename T>
bool factorise_lu(T* a, int64_t n, int64_t* rows) {
  bool odd = false;
  for (int64_t i = 0; i < n; ++i) rows[i] = i;
  for (int64_t j = 0; j < n; ++j) {
    int64_t pivot = j;
    for (int64_t i = j + 1; i < n; ++i) {
      if (std::abs(a[i * n + j]) > std::abs(a[pivot * n + j])) pivot = i;
    }
    if (pivot != j) {
      std::swap_ranges(a + j * n, a + (j + 1) * n, a + pivot * n);
      std::swap(rows[j], rows[pivot]);
      odd = !odd;
    }
    if (a[j * n + j] == T(0)) continue;
    for (int64_t i = j + 1; i < n; ++i) {
      const T factor = a[i * n + j] /= a[j * n + j];
      for (int64_t c = j + 1; c < n; ++c) a[i * n + c] -= factor * a[j * n + c];
    }
  }
  return odd;
}

template <typename T>
void solve_triangular(bool upper, bool transposed, bool unit, const T* a, int64_t n, T* x,
                      int64_t columns) {
  const bool downwards = upper == transposed;
  const int64_t row_step = transposed ? 1 : n, column_step = transposed ? n : 1;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = downwards ? step : n - 1 - step;
    for (int64_t done = 0; done < step; ++done) {
      const int64_t j = downwards ? done : n - 1 - done;
      const T factor = a[i * row_step + j * column_step];
      for (int64_t c = 0; c < columns; ++c) x[i * columns + c] -= factor * x[j * columns + c];
    }
    if (unit) continue;
    for (int64_t c = 0; c < columns; ++c) x[i * columns + c] /= a[i * (n + 1)];
  }
}

// A reflection of the rows from `first` on: 1 - factor v v*. v is 1 at first, and stands below it
// in a column of a matrix with `step` columns.
template <typename T>
struct Reflection {
  const T* v;  // at row 0
  int64_t step;
  int64_t first;
  T factor;

  T at(int64_t row) const { return row == first ? T(1) : v[row * step]; }

  void apply(T* matrix, int64_t rows, int64_t columns, int64_t from_column) const {
    for (int64_t c = from_column; c < columns; ++c) {
      T sum = 0;
      for (int64_t i = first; i < rows; ++i) sum += conjugate(at(i)) * matrix[i * columns + c];
      sum *= factor;
      for (int64_t i = first; i < rows; ++i) matrix[i * columns + c] -= at(i) * sum;
    }
  }
};

// The reflection that leaves a real number at row j of column j and zeros below; it is put where
// the zeros would be. Its factor, conjugated for the reverse, is 0 where nothing has to be done.
template <typename T>
T make_reflection(T* a, int64_t rows, int64_t columns, int64_t j) {
  Part<T> rest = 0;
  for (int64_t i = j + 1; i < rows; ++i) rest = std::hypot(rest, std::abs(a[i * columns + j]));
  T& head = a[j * columns + j];
  if (rest == 0 && std::imag(head) == 0) return 0;
  const Part<T> length = -std::copysign(std::hypot(rest, std::abs(head)), std::real(head));
  const T factor = (length - head) / length, scale = head - length;
  for (int64_t i = j + 1; i < rows; ++i) a[i * columns + j] /= scale;
  head = length;
  return factor;
}

// Upper triangle: r. Below, and in factors: the reflections whose product is q.
template <typename T>
void reflect_columns(T* a, int64_t rows, int64_t columns, T* factors) {
  for (int64_t j = 0; j < std::min(rows, columns); ++j) {
    factors[j] = make_reflection(a, rows, columns, j);
    const Reflection<T> inverse{a + j, columns, j, conjugate(factors[j])};
    inverse.apply(a, rows, columns, j + 1);
  }
}

// The product of the reflections of a matrix with `columns` columns.
template <typename T>
void multiply_reflections(const T* a, int64_t rows, int64_t columns, const T* factors, T* q,
                          int64_t q_columns) {
  std::fill(q, q + rows * q_columns, T(0));
  for (int64_t i = 0; i < std::min(rows, q_columns); ++i) q[i * (q_columns + 1)] = 1;
  for (int64_t j = std::min(rows, columns) - 1; j >= 0; --j) {
    Reflection<T>{a + j, columns, j, factors[j]}.apply(q, rows, q_columns, 0);
  }
}

}  // namespace plain
}  // namespace aclhost
