// SPDX-License-Identifier: Apache-2.0
#include "engines/small_products.h"

#include "simd/fused.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using Floats = Vector<float>;

constexpr int64_t kLength = kLanes<float>;
constexpr int64_t kPadded = 16;            // a multiple of kLength on every processor
constexpr int64_t kMostPacked = 224;       // elements of b; copying more takes as long as BLAS
constexpr int64_t kSmallWork = 1 << 13;    // multiplications
constexpr int64_t kFewRows = 4;            // that are computed together
constexpr int64_t kFewTerms = 1 << 9;      // longer sums would lose accuracy
constexpr int64_t kFewElements = 1 << 16;  // of b: several rows of it stay in the nearest caches

int64_t rounded_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// Some rows and the first columns of c, whole vectors of which there is room for.
template <int rows, int vectors>
void sum_block(int64_t k, const Matrix<float>& a, const Matrix<float>& b, float* c,
               int64_t c_stride, bool add) {
  Floats sums[rows][vectors] = {};
  for (int64_t p = 0; p < k; ++p) {
    const float* const from = b.data + p * b.row_stride;
    Floats values[vectors];
    for (int v = 0; v < vectors; ++v) values[v] = load_vector<Floats>(from + v * kLength);
    for (int i = 0; i < rows; ++i) {
      const auto factor = splat<Floats>(a.data[i * a.row_stride + p * a.column_stride]);
      for (int v = 0; v < vectors; ++v) {
        sums[i][v] = fused_multiply_add(factor, values[v], sums[i][v]);
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      float* const to = c + i * c_stride + v * kLength;
      if (add) sums[i][v] += load_vector<Floats>(to);
      store_vector(to, sums[i][v]);
    }
  }
}

// Rows of b have room for whole vectors.
template <int rows>
void sum_rows(int64_t n, int64_t k, const Matrix<float>& a, const Matrix<float>& b, float* c,
              int64_t c_stride, bool add) {
  constexpr int kVectors = 8 / rows;
  const auto from = [&](int64_t j) { return Matrix<float>{b.data + j, b.row_stride, 1}; };
  int64_t j = 0;
  for (; j + kVectors * kLength <= n; j += kVectors * kLength) {
    sum_block<rows, kVectors>(k, a, from(j), c + j, c_stride, add);
  }
  for (; j + kLength <= n; j += kLength) sum_block<rows, 1>(k, a, from(j), c + j, c_stride, add);
  if (j == n) return;
  float end[rows][kLength];
  sum_block<rows, 1>(k, a, from(j), end[0], kLength, false);
  for (int i = 0; i < rows; ++i) {
    float* const to = c + i * c_stride + j;
    for (int64_t q = 0; q < n - j; ++q) to[q] = add ? to[q] + end[i][q] : end[i][q];
  }
}

}  // namespace

bool is_small_product(int64_t m, int64_t n, int64_t k, const Matrix<float>& b) {
  if (k > kFewTerms) return false;
  if (n % kPadded != 0 || b.column_stride != 1) {
    return rounded_up(n, kPadded) * k <= kMostPacked && m * n * k <= kSmallWork;
  }
  return n * k <= kFewElements && (m <= kFewRows || m * n * k <= kSmallWork);
}

void multiply_small(int64_t m, int64_t n, int64_t k, const Matrix<float>& a, const Matrix<float>& b,
                    float* c, int64_t c_stride, bool add) {
  float packed[kMostPacked];
  Matrix<float> rows = b;
  if (n % kLength != 0 || b.column_stride != 1) {
    rows = {packed, rounded_up(n, kLength), 1};
    for (int64_t p = 0; p < k; ++p) {
      float* const to = packed + p * rows.row_stride;
      const float* const from = b.data + p * b.row_stride;
      store_vector(to + rows.row_stride - kLength, Floats{});
      for (int64_t j = 0; j < n; ++j) to[j] = from[j * b.column_stride];
    }
  }
  int64_t i = 0;
  const auto some = [&] {
    return Matrix<float>{a.data + i * a.row_stride, a.row_stride, a.column_stride};
  };
  for (; i + kFewRows <= m; i += kFewRows) {
    sum_rows<kFewRows>(n, k, some(), rows, c + i * c_stride, c_stride, add);
  }
  float* const last = c + i * c_stride;
  if (m - i == 3) sum_rows<3>(n, k, some(), rows, last, c_stride, add);
  if (m - i == 2) sum_rows<2>(n, k, some(), rows, last, c_stride, add);
  if (m - i == 1) sum_rows<1>(n, k, some(), rows, last, c_stride, add);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
