// SPDX-License-Identifier: Apache-2.0
// Turns matrices whose columns lie in memory one by one to others whose rows do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Vectors consist of parts of 16 bytes, across which most shuffles do not reach. Matrices are
// turned in squares that are as wide. A vector holds the same column of several squares side by
// side.
template <typename T>
constexpr int kSquareSide = 16 / sizeof(T);

// Columns begin `step` elements apart.
template <typename T>
struct Columns {
  const T* first;
  int64_t step;

  T element(int64_t row, int64_t column) const { return first[row + column * step]; }

  template <int squares>
  auto load(int64_t row, int64_t column) const {
    constexpr int kSide = kSquareSide<T>;
    if constexpr (squares == 1) {
      return load_vector<Vector<BitsOf<T>, kSide>>(first + row + column * step);
    } else {
      constexpr int kHalf = squares / 2;
      return join(load<kHalf>(row, column), load<kHalf>(row, column + kHalf * kSide),
                  std::make_integer_sequence<int, squares * kSide>{});
    }
  }
};

namespace transpose_detail {

// Of every part, the elements of a and of b by turns, from `first` on.
template <int side, int first, typename V, int... lane>
V by_turns(V a, V b, std::integer_sequence<int, lane...>) {
  constexpr int kAll = sizeof...(lane);
  return __builtin_shufflevector(
      a, b, (lane / side * side + first + lane % side / 2 + lane % 2 * kAll)...);
}

// Of pairs of words, those of a and of b by turns, from the word `first` on.
template <int first, typename V, int... word>
V pairs_by_turns(V a, V b, std::integer_sequence<int, word...>) {
  constexpr int kAll = sizeof...(word);
  return __builtin_shufflevector(a, b, (first + word / 4 * 2 + word % 2 + word / 2 % 2 * kAll)...);
}

// Columns become rows once each of them has met every other one.
template <int squares, typename T>
void turn_squares(const Columns<T>& matrix, int64_t row, int64_t column, T* to,
                  int64_t row_length) {
  constexpr int kSide = kSquareSide<T>;
  constexpr auto kLanesOfAll = std::make_integer_sequence<int, squares * kSide>{};
  Vector<BitsOf<T>, squares * kSide> columns[kSide], met[kSide];
  for (int k = 0; k < kSide; ++k) columns[k] = matrix.template load<squares>(row, column + k);
  for (int done = 1; done < kSide; done *= 2) {
    for (int k = 0; k < kSide / 2; ++k) {
      const auto a = columns[k], b = columns[k + kSide / 2];
      met[2 * k] = by_turns<kSide, 0>(a, b, kLanesOfAll);
      met[2 * k + 1] = by_turns<kSide, kSide / 2>(a, b, kLanesOfAll);
    }
    for (int k = 0; k < kSide; ++k) columns[k] = met[k];
  }
  T* const place = to + row * row_length + column;
  for (int k = 0; k < kSide; ++k) store_vector(place + k * row_length, columns[k]);
}

// Calls visit(begin) for ranges of a length that cover all of a number not less. The last one may
// reach back.
template <typename Visit>
void cover(int64_t all, int64_t length, const Visit& visit) {
  int64_t begin = 0;
  for (; begin + length <= all; begin += length) visit(begin);
  if (begin < all) visit(all - length);
}

template <int squares, typename T>
void turn_all(const Columns<T>& matrix, int64_t rows, int64_t columns, T* to, int64_t row_step) {
  cover(columns, squares * kSquareSide<T>, [&](int64_t column) {
    cover(rows, kSquareSide<T>,
          [&](int64_t row) { turn_squares<squares>(matrix, row, column, to, row_step); });
  });
}

// A square of as many elements of 16 bytes as a vector has.
constexpr int kPairSide = kVectorBytes / 16;
template <typename T>
void turn_pairs(const Columns<T>& matrix, int64_t row, int64_t column, T* to, int64_t row_step) {
  using V = Vector<uint64_t>;
  V columns[kPairSide], met[kPairSide];
  const T* const first = matrix.first + row + column * matrix.step;
  for (int k = 0; k < kPairSide; ++k) columns[k] = load_vector<V>(first + k * matrix.step);
  for (int done = 1; done < kPairSide; done *= 2) {
    for (int k = 0; k < kPairSide / 2; ++k) {
      const V a = columns[k], b = columns[k + kPairSide / 2];
      met[2 * k] = pairs_by_turns<0>(a, b, std::make_integer_sequence<int, 2 * kPairSide>{});
      met[2 * k + 1] =
          pairs_by_turns<kPairSide>(a, b, std::make_integer_sequence<int, 2 * kPairSide>{});
    }
    for (int k = 0; k < kPairSide; ++k) columns[k] = met[k];
  }
  T* const place = to + row * row_step + column;
  for (int k = 0; k < kPairSide; ++k) store_vector(place + k * row_step, columns[k]);
}

// Elements of 16 bytes are turned in squares of whole lines of the cache on both sides: lines whose
// distance is a power of two push each other out.
template <typename T>
void move_squares(const Columns<T>& matrix, int64_t rows, int64_t columns, T* to,
                  int64_t row_step) {
  constexpr int64_t kSide = 4;
  for (int64_t column = 0; column < columns; column += kSide) {
    const int64_t last_column = std::min(column + kSide, columns);
    for (int64_t row = 0; row < rows; row += kSide) {
      const int64_t last_row = std::min(row + kSide, rows);
      if (last_column - column == kSide && last_row - row == kSide) {
        for (int64_t i = row; i < last_row; i += kPairSide) {
          for (int64_t k = column; k < last_column; k += kPairSide) {
            turn_pairs(matrix, i, k, to, row_step);
          }
        }
        continue;
      }
      for (int64_t i = row; i < last_row; ++i) {
        for (int64_t k = column; k < last_column; ++k) to[i * row_step + k] = matrix.element(i, k);
      }
    }
  }
}

}  // namespace transpose_detail

// Rows go to memory `row_step` elements apart.
template <typename T>
__attribute__((flatten)) void transpose(const Columns<T>& matrix, int64_t rows, int64_t columns,
                                        T* to, int64_t row_step) {
  constexpr int kSquares = kVectorBytes / 16;
  if constexpr (sizeof(T) == 16) {
    return transpose_detail::move_squares(matrix, rows, columns, to, row_step);
  } else {
    if (rows >= kSquareSide<T> && columns >= kSquares * kSquareSide<T>) {
      return transpose_detail::turn_all<kSquares>(matrix, rows, columns, to, row_step);
    }
    if (rows >= kSquareSide<T> && columns >= kSquareSide<T>) {
      return transpose_detail::turn_all<1>(matrix, rows, columns, to, row_step);
    }
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        to[row * row_step + column] = matrix.element(row, column);
      }
    }
  }
}
template <typename T>
void transpose(const Columns<T>& matrix, int64_t rows, int64_t columns, T* to) {
  transpose(matrix, rows, columns, to, columns);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
