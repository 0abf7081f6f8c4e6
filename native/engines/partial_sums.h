// SPDX-License-Identifier: Apache-2.0
// Sums of rows that are multiplied with a factor each, for products with a vector: the partial sums
// of Note [Products with a vector], and their order. Where there are few, they stay in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simd/fused.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace partial_sums {

using Floats = Vector<float>;

constexpr int64_t kPartials = 32;  // of each sum
constexpr int kRowsTogether = 4;
constexpr int64_t kFewTerms = 4 * kPartials;  // of rows that are read side by side
constexpr int64_t kWidth = 512;               // columns of a block

inline int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Partial sums that need be added in pairs: others have no terms.
inline int64_t used_partials(int64_t terms) {
  int64_t count = kPartials;
  while (count / 2 >= terms) count /= 2;
  return count;
}

// Elements of a matrix whose rows or columns are arrays.
template <typename T>
struct Elements {
  const T* data;
  int64_t step;  // to the next array
};

// sums[j] += factors[p] * b[p][j], of some rows that lie kPartials apart.
template <typename T, int rows>
void add_rows(const Elements<T>& b, const float* factors, int64_t n, float* sums) {
  Floats factor[rows];
  const T* row[rows];
  for (int p = 0; p < rows; ++p) {
    factor[p] = splat<Floats>(factors[p * kPartials]);
    row[p] = b.data + p * kPartials * b.step;
  }
  const int64_t whole = n / kLanes<float> * kLanes<float>;
  for (int64_t j = 0; j < whole; j += kLanes<float>) {
    auto sum = load_vector<Floats>(sums + j);
    for (int p = 0; p < rows; ++p) {
      sum = fused_multiply_add(factor[p], load_widened(row[p] + j), sum);
    }
    store_vector(sums + j, sum);
  }
  if (whole == n) return;
  auto sum = load_vector<Floats>(sums + whole);  // which have room for a whole vector
  for (int p = 0; p < rows; ++p) {
    T end[kLanes<float>] = {};
    std::memcpy(end, row[p] + whole, (n - whole) * sizeof(T));
    sum = fused_multiply_add(factor[p], load_widened(end), sum);
  }
  store_vector(sums + whole, sum);
}

// sums[j] = the sum of factors[p] * b[p][j]. Partial sums are in memory.
template <typename T>
void sum_many_rows(const Elements<T>& b, const float* factors, int64_t terms, int64_t n,
                   float* sums) {
  constexpr int64_t kStep = kRowsTogether * kPartials;
  float partials[kPartials][kWidth];
  const int64_t used = used_partials(terms), room = divided_up(n, kLanes<float>) * kLanes<float>;
  for (int64_t i = 0; i < used; ++i) std::fill_n(partials[i], room, 0.0F);
  int64_t p = 0;
  for (; p + kStep <= terms; p += kStep) {
    for (int64_t i = 0; i < kPartials; ++i) {
      add_rows<T, kRowsTogether>({b.data + (p + i) * b.step, b.step}, factors + p + i, n,
                                 partials[i]);
    }
  }
  for (; p < terms; ++p) {
    add_rows<T, 1>({b.data + p * b.step, b.step}, factors + p, n, partials[p % kPartials]);
  }
  for (int64_t half = used / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) {
      for (int64_t j = 0; j < n; ++j) partials[i][j] += partials[i + half][j];
    }
  }
  std::copy_n(partials[0], n, sums);
}

// The sum in some vectors of columns of the partial sums that lie `streams` apart, as many as stay
// in registers.
template <typename T, int streams, int chains, int vectors>
void sum_stream(const Elements<T>& b, const float* factors, int64_t terms, float* sums) {
  Floats partials[chains][vectors] = {};
  for (int64_t first = 0; first < terms; first += kPartials) {
    for (int i = 0; i < chains; ++i) {
      const int64_t p = first + i * streams;
      if (p >= terms) break;
      const auto factor = splat<Floats>(factors[p]);
      const T* const row = b.data + p * b.step;
      for (int v = 0; v < vectors; ++v) {
        const Floats values = load_widened(row + v * kLanes<float>);
        partials[i][v] = fused_multiply_add(factor, values, partials[i][v]);
      }
    }
  }
  for (int half = chains / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      for (int v = 0; v < vectors; ++v) partials[i][v] += partials[i + half][v];
    }
  }
  for (int v = 0; v < vectors; ++v) store_vector(sums + v * kLanes<float>, partials[0][v]);
}

// The same in so many columns, which are whole vectors.
template <typename T, int streams, int chains, int vectors>
void sum_columns_of_stream(const Elements<T>& b, const float* factors, int64_t terms, int64_t n,
                           float* sums) {
  constexpr int64_t kLength = kLanes<float>;
  const auto from = [&](int64_t j) { return Elements<T>{b.data + j, b.step}; };
  int64_t j = 0;
  for (; j + vectors * kLength <= n; j += vectors * kLength) {
    sum_stream<T, streams, chains, vectors>(from(j), factors, terms, sums + j);
  }
  for (; j < n; j += kLength) {
    sum_stream<T, streams, chains, 1>(from(j), factors, terms, sums + j);
  }
}

// The sums of all streams, one stream after the other.
template <typename T, int streams, int chains, int vectors>
void sum_streams(const Elements<T>& b, const float* factors, int64_t terms, int64_t n,
                 float* sums) {
  float stream_sums[streams][kWidth];
  for (int64_t i = 0; i < streams; ++i) {
    sum_columns_of_stream<T, streams, chains, vectors>({b.data + i * b.step, b.step}, factors + i,
                                                       terms - i, n, stream_sums[i]);
  }
  for (int64_t j = 0; j < n; j += kLanes<float>) {
    Floats partials[streams];
    for (int i = 0; i < streams; ++i) partials[i] = load_vector<Floats>(stream_sums[i] + j);
    for (int half = streams / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) partials[i] += partials[i + half];
    }
    store_vector(sums + j, partials[0]);
  }
}

// sums[j] = the sum of factors[p] * b[p][j].
template <typename T>
void sum_rows(const Elements<T>& b, const float* factors, int64_t terms, int64_t n, float* sums) {
  constexpr int kMany = kLanes<float> > 8 ? 4 : 2;  // vectors: there are more registers
  const int64_t used = used_partials(terms), whole = n / kLanes<float> * kLanes<float>;
  if (terms > kFewTerms || used < 4) return sum_many_rows(b, factors, terms, n, sums);
  if (used == 4) {
    sum_columns_of_stream<T, 1, 4, kMany>(b, factors, terms, whole, sums);
  } else if (used == 8) {
    sum_columns_of_stream<T, 1, 8, kMany / 2>(b, factors, terms, whole, sums);
  } else if (used == 16) {
    sum_streams<T, 2, 8, kMany / 2>(b, factors, terms, whole, sums);
  } else {
    sum_streams<T, 8, 4, kMany>(b, factors, terms, whole, sums);
  }
  if (whole == n) return;
  sum_many_rows<T>({b.data + whole, b.step}, factors, terms, n - whole, sums + whole);
}

}  // namespace partial_sums
}  // namespace ACLHOST_ISA
}  // namespace aclhost
