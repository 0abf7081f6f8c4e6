// SPDX-License-Identifier: Apache-2.0
// Singular values without LAPACK: columns are rotated in pairs until all are orthogonal.
#pragma once

#include <limits>

#include "base/plain_lapack.h"

namespace aclhost {
namespace plain {

// A column of a row-major matrix.
template <typename T>
struct Column {
  T* first;
  int64_t rows, step;

  T& operator[](int64_t row) const { return first[row * step]; }
};

template <typename T>
Column<T> column_of(T* matrix, int64_t rows, int64_t columns, int64_t number) {
  return {matrix + number, rows, columns};
}

template <typename T>
T product(const Column<T>& a, const Column<T>& b) {
  T sum = 0;
  for (int64_t i = 0; i < a.rows; ++i) sum += conjugate(a[i]) * b[i];
  return sum;
}

template <typename T>
Part<T> length_of(const Column<T>& column) {
  Part<T> length = 0;
  for (int64_t i = 0; i < column.rows; ++i) length = std::hypot(length, std::abs(column[i]));
  return length;
}

template <typename T>
struct Rotation {
  Part<T> cosine, sine;
  T phase;  // by which the second column is turned first

  void apply(const Column<T>& a, const Column<T>& b) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      const T first = a[i], second = b[i] * phase;
      a[i] = first * cosine - second * sine;
      b[i] = first * sine + second * cosine;
    }
  }
};

// Rotates two columns of a, and of v, so that those of a become orthogonal. False: they are, or
// one of them is not longer than `nothing`, which is what rounding leaves of zeros.
template <typename T>
bool separate(const Column<T>& a, const Column<T>& b, const Column<T>& va, const Column<T>& vb,
              Part<T> nothing) {
  const T mixed = product(a, b);
  const Part<T> first = std::real(product(a, a)), second = std::real(product(b, b));
  if (std::sqrt(std::min(first, second)) <= nothing) return false;
  const Part<T> size = std::abs(mixed), least = std::numeric_limits<Part<T>>::epsilon();
  if (size <= least * std::sqrt(first) * std::sqrt(second)) return false;
  const Part<T> ratio = (second - first) / (2 * size), one = 1;
  const Part<T> tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(one, ratio)), ratio);
  const Part<T> cosine = 1 / std::hypot(one, tangent);
  const Rotation<T> rotation = {cosine, cosine * tangent, conjugate(mixed) / size};
  rotation.apply(a, b);
  rotation.apply(va, vb);
  return true;
}

// a, which has at least as many rows as columns, becomes a v with orthogonal columns.
template <typename T>
void make_orthogonal(T* a, int64_t rows, int64_t columns, T* v) {
  constexpr int kMostRounds = 60;  // about ten are usual
  std::fill(v, v + columns * columns, T(0));
  for (int64_t i = 0; i < columns; ++i) v[i * (columns + 1)] = 1;
  const auto of_a = [&](int64_t number) { return column_of(a, rows, columns, number); };
  const auto of_v = [&](int64_t number) { return column_of(v, columns, columns, number); };
  const Part<T> size = length_of(Column<T>{a, rows * columns, 1});
  const Part<T> nothing = size * std::numeric_limits<Part<T>>::epsilon();
  bool rotated = true;
  for (int round = 0; round < kMostRounds && rotated; ++round) {
    rotated = false;
    for (int64_t p = 0; p < columns; ++p) {
      for (int64_t q = p + 1; q < columns; ++q) {
        rotated |= separate(of_a(p), of_a(q), of_v(p), of_v(q), nothing);
      }
    }
  }
}

template <typename T>
void swap_columns(const Column<T>& a, const Column<T>& b) {
  for (int64_t i = 0; i < a.rows; ++i) std::swap(a[i], b[i]);
}

// Orders columns by length, the longest first.
template <typename T>
void sort_columns(T* a, int64_t rows, int64_t columns, T* v, Part<T>* lengths) {
  for (int64_t j = 0; j < columns; ++j) lengths[j] = length_of(column_of(a, rows, columns, j));
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t longest = std::max_element(lengths + j, lengths + columns) - lengths;
    if (longest == j) continue;
    std::swap(lengths[j], lengths[longest]);
    swap_columns(column_of(a, rows, columns, j), column_of(a, rows, columns, longest));
    swap_columns(column_of(v, columns, columns, j), column_of(v, columns, columns, longest));
  }
}

// A column of length 1 that is orthogonal to those before it: what is left of an axis.
template <typename T>
void add_column(T* u, int64_t rows, int64_t columns, int64_t number) {
  const Column<T> own = column_of(u, rows, columns, number);
  // Some axis keeps at least an n-th of its square.
  const Part<T> enough = std::sqrt(Part<T>(0.5) / static_cast<Part<T>>(rows));
  for (int64_t axis = 0; axis < rows; ++axis) {
    for (int64_t i = 0; i < rows; ++i) own[i] = T(i == axis ? 1 : 0);
    for (int round = 0; round < 2; ++round) {  // the second removes what rounding left
      for (int64_t j = 0; j < number; ++j) {
        const Column<T> other = column_of(u, rows, columns, j);
        const T share = product(other, own);
        for (int64_t i = 0; i < rows; ++i) own[i] -= share * other[i];
      }
    }
    const Part<T> length = length_of(own);
    if (length < enough) continue;
    for (int64_t i = 0; i < rows; ++i) own[i] /= length;
    return;
  }
}

// Columns of a, divided by their lengths, in the first columns of u. The others, and what has no
// length, are made up.
template <typename T>
void normalise_columns(const T* a, int64_t rows, int64_t columns, const Part<T>* lengths, T* u,
                       int64_t u_columns) {
  const Part<T> least = lengths[0] * std::numeric_limits<Part<T>>::epsilon() * Part<T>(rows);
  for (int64_t j = 0; j < u_columns; ++j) {
    if (j >= columns || !(lengths[j] > least)) {
      add_column(u, rows, u_columns, j);
      continue;
    }
    for (int64_t i = 0; i < rows; ++i) u[i * u_columns + j] = a[i * columns + j] / lengths[j];
  }
}

}  // namespace plain
}  // namespace aclhost
