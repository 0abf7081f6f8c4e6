// SPDX-License-Identifier: Apache-2.0
#include "engines/multiply.h"

#include <algorithm>
#include <type_traits>

#include "base/openblas.h"
#include "engines/small_products.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;  // as in cblas.h
constexpr int64_t kRows = 4;                                    // of c that grow together

template <typename T>
auto blas_gemm() {
  if constexpr (std::is_same_v<T, float>) {
    return float_gemm();
  } else if constexpr (std::is_same_v<T, double>) {
    return double_gemm();
  } else {
    return nullptr;
  }
}

// A factor as BLAS wants it described.
struct BlasFactor {
  template <typename T>
  BlasFactor(const Matrix<T>& matrix, int64_t rows, int64_t columns) {
    const bool as_is = matrix.column_stride == 1 && (rows == 1 || matrix.row_stride >= columns);
    order = as_is ? kAsIs : kTransposed;
    stride = static_cast<int>(as_is ? std::max(matrix.row_stride, columns)
                                    : std::max(matrix.column_stride, rows));
  }

  int order;
  int stride;
};

// Some rows of c: each element is one sum in the order of k.
template <typename T, int rows>
void add_products(int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, T* __restrict c,
                  int64_t c_stride) {
  for (int64_t p = 0; p < k; ++p) {
    const T* __restrict const from = b.data + p * b.row_stride;
    T factors[rows];
    for (int i = 0; i < rows; ++i) factors[i] = a.data[i * a.row_stride + p * a.column_stride];
    if (b.column_stride == 1) {
      for (int64_t j = 0; j < n; ++j) {
        for (int i = 0; i < rows; ++i) c[i * c_stride + j] += factors[i] * from[j];
      }
    } else {
      for (int64_t j = 0; j < n; ++j) {
        for (int i = 0; i < rows; ++i) {
          c[i * c_stride + j] += factors[i] * from[j * b.column_stride];
        }
      }
    }
  }
}

// Each element is a sum of its own, and the columns of b are arrays. For integers alone, whose sums
// may be taken in any order.
template <typename T>
void add_sums(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, T* c,
              int64_t c_stride) {
  for (int64_t i = 0; i < m; ++i) {
    const T* const row = a.data + i * a.row_stride;
    for (int64_t j = 0; j < n; ++j) {
      const T* const column = b.data + j * b.column_stride;
      T sum = 0;
      if (a.column_stride == 1) {
        for (int64_t p = 0; p < k; ++p) sum = static_cast<T>(sum + row[p] * column[p]);
      } else {
        for (int64_t p = 0; p < k; ++p) {
          sum = static_cast<T>(sum + row[p * a.column_stride] * column[p]);
        }
      }
      c[i * c_stride + j] += sum;
    }
  }
}

template <typename T>
void multiply_plainly(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, T* c,
                      int64_t c_stride) {
  if constexpr (std::is_integral_v<T>) {
    if (b.column_stride != 1) return add_sums(m, n, k, a, b, c, c_stride);
  }
  int64_t i = 0;
  for (; i + kRows <= m; i += kRows) {
    const Matrix<T> some = {a.data + i * a.row_stride, a.row_stride, a.column_stride};
    add_products<T, kRows>(n, k, some, b, c + i * c_stride, c_stride);
  }
  for (; i < m; ++i) {
    const Matrix<T> one = {a.data + i * a.row_stride, a.row_stride, a.column_stride};
    add_products<T, 1>(n, k, one, b, c + i * c_stride, c_stride);
  }
}

}  // namespace

template <typename T>
void multiply(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, T* c,
              int64_t c_stride, bool add) {
  if constexpr (std::is_same_v<T, float>) {
    if (k > 0 && is_small_product(m, n, k, b))
      return multiply_small(m, n, k, a, b, c, c_stride, add);
  }
  const auto gemm = blas_gemm<T>();
  if constexpr (!std::is_null_pointer_v<decltype(blas_gemm<T>())>) {
    if (gemm != nullptr && k > 0) {
      const BlasFactor first(a, m, k), second(b, k, n);
      return gemm(kRowMajor, first.order, second.order, static_cast<int>(m), static_cast<int>(n),
                  static_cast<int>(k), 1, a.data, first.stride, b.data, second.stride, add ? 1 : 0,
                  c, static_cast<int>(std::max(c_stride, n)));
    }
  }
  for (int64_t i = 0; i < m && !add; ++i) std::fill_n(c + i * c_stride, n, T{0});
  multiply_plainly(m, n, k, a, b, c, c_stride);
}

template <typename T>
bool multiplies_columns() {
  return std::is_integral_v<T> || blas_gemm<T>() != nullptr;
}

template void multiply(int64_t, int64_t, int64_t, const Matrix<float>&, const Matrix<float>&,
                       float*, int64_t, bool);
template void multiply(int64_t, int64_t, int64_t, const Matrix<double>&, const Matrix<double>&,
                       double*, int64_t, bool);
template void multiply(int64_t, int64_t, int64_t, const Matrix<uint8_t>&, const Matrix<uint8_t>&,
                       uint8_t*, int64_t, bool);
template void multiply(int64_t, int64_t, int64_t, const Matrix<uint32_t>&, const Matrix<uint32_t>&,
                       uint32_t*, int64_t, bool);
template void multiply(int64_t, int64_t, int64_t, const Matrix<uint64_t>&, const Matrix<uint64_t>&,
                       uint64_t*, int64_t, bool);
template bool multiplies_columns<float>();
template bool multiplies_columns<double>();
template bool multiplies_columns<uint8_t>();
template bool multiplies_columns<uint32_t>();
template bool multiplies_columns<uint64_t>();

}  // namespace ACLHOST_ISA
}  // namespace aclhost
