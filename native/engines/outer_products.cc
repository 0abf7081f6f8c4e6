// SPDX-License-Identifier: Apache-2.0
#include "engines/outer_products.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simd/fused.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using Floats = Vector<float>;
using Block = void (*)(const OuterProducts& products, float* c, int64_t c_stride, bool add);

// Where the column of a term is.
template <int rows, bool placed>
const float* column_at(const OuterProducts& products, int64_t term) {
  return products.a + (placed ? products.a_places[term] : term * rows);
}

template <int rows, int vectors, bool placed>
void add_block(const OuterProducts& products, float* c, int64_t c_stride, bool add) {
  Floats sums[rows][vectors] = {};
  for (int64_t p = 0; p < products.terms; ++p) {
    const float* const a = column_at<rows, placed>(products, p);
    const float* const b = products.b + products.places[p];
    Floats factors[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) factors[v] = load_vector<Floats>(b + v * kLanes<float>);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      const Floats factor = splat<Floats>(a[i]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        sums[i][v] = fused_multiply_add(factor, factors[v], sums[i][v]);
      }
    }
  }
  // Sums stay in registers only where no loop is left.
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      float* const to = c + i * c_stride + v * kLanes<float>;
      store_vector(to, add ? load_vector<Floats>(to) + sums[i][v] : sums[i][v]);
    }
  }
}

#if defined(__AVX512F__)
template <int rows, int vectors, bool placed>
__attribute__((target("avx512bf16"))) void add_pair_block(const OuterProducts& products, float* c,
                                                          int64_t c_stride, bool add) {
  __m512 sums[rows][vectors] = {};
  for (int64_t p = 0; p < products.terms; ++p) {
    const float* const a = column_at<rows, placed>(products, p);
    const float* const b = products.b + products.places[p];
    __m512bh factors[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      factors[v] = (__m512bh)_mm512_loadu_ps(b + v * kLanes<float>);
    }
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      const auto factor = (__m512bh)_mm512_set1_ps(a[i]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        sums[i][v] = _mm512_dpbf16_ps(sums[i][v], factor, factors[v]);
      }
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      float* const to = c + i * c_stride + v * kLanes<float>;
      _mm512_storeu_ps(to, add ? _mm512_loadu_ps(to) + sums[i][v] : sums[i][v]);
    }
  }
}

template <int vectors, bool placed, int... before>
constexpr std::array<Block, sizeof...(before)> pair_blocks(std::integer_sequence<int, before...>) {
  return {add_pair_block<before + 1, vectors, placed>...};
}
template <bool placed>
constexpr auto kPairBlocks = pair_blocks<2, placed>(std::make_integer_sequence<int, kMostRows>());
template <bool placed>
constexpr auto kWidePairBlocks =
    pair_blocks<4, placed>(std::make_integer_sequence<int, kFewRows>());
#endif

template <int vectors, bool placed, int... before>
constexpr std::array<Block, sizeof...(before)> blocks(std::integer_sequence<int, before...>) {
  return {add_block<before + 1, vectors, placed>...};
}
template <bool placed>
constexpr auto kBlocks = blocks<2, placed>(std::make_integer_sequence<int, kMostRows>());
template <bool placed>
constexpr auto kWideBlocks = blocks<4, placed>(std::make_integer_sequence<int, kFewRows>());

template <bool placed>
Block block_for(int64_t rows, int64_t columns, bool pairs) {
#if defined(__AVX512F__)
  if (pairs) {
    return columns == kColumns ? kPairBlocks<placed>[rows - 1] : kWidePairBlocks<placed>[rows - 1];
  }
#endif
  (void)pairs;
  return columns == kColumns ? kBlocks<placed>[rows - 1] : kWideBlocks<placed>[rows - 1];
}

}  // namespace

bool has_pair_products() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

void add_outer_products(int64_t rows, int64_t columns, const OuterProducts& products, float* c,
                        int64_t c_stride, bool add) {
  const Block block = products.a_places == nullptr ? block_for<false>(rows, columns, products.pairs)
                                                   : block_for<true>(rows, columns, products.pairs);
  block(products, c, c_stride, add);
}

void pack_rows(const float* matrix, int64_t row_stride, int64_t rows, int64_t columns, float* to) {
  const int64_t height = block_height(rows);
  for (int64_t row = 0; row < rows; row += height) {
    const int64_t count = std::min(height, rows - row);
    const Columns<float> block = {matrix + row * row_stride, row_stride};
    transpose(block, columns, count, to, count);
    to += count * columns;
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
