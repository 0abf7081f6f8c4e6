// SPDX-License-Identifier: Apache-2.0
#include "engines/pair_products.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

#if defined(__AVX512F__)
namespace {

constexpr int kMostRows = 14;     // of a block: their sums leave registers for the factors
constexpr int64_t kColumns = 32;  // of a block
constexpr double kLeastWork = 1 << 15;
constexpr int64_t kLeastTerms = 16;

using Block = void (*)(int64_t pairs, const uint32_t* a, const uint32_t* b, float* c,
                       int64_t c_stride, bool add);

// Pair p is the column a[p * rows ...] times the row b[p * kColumns ...].
template <int rows>
__attribute__((target("avx512bf16"))) void add_block(int64_t pairs, const uint32_t* a,
                                                     const uint32_t* b, float* c, int64_t c_stride,
                                                     bool add) {
  __m512 sums[rows][2] = {};
  for (int64_t p = 0; p < pairs; ++p) {
    const auto low = (__m512bh)_mm512_loadu_si512(b);
    const auto high = (__m512bh)_mm512_loadu_si512(b + kColumns / 2);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      const auto factor = (__m512bh)_mm512_set1_epi32(static_cast<int>(a[i]));
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], factor, low);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], factor, high);
    }
    a += rows;
    b += kColumns;
  }
  for (int i = 0; i < rows; ++i) {
    for (int half = 0; half < 2; ++half) {
      float* const to = c + i * c_stride + half * kColumns / 2;
      _mm512_storeu_ps(to, add ? _mm512_loadu_ps(to) + sums[i][half] : sums[i][half]);
    }
  }
}

template <int... before>
constexpr std::array<Block, sizeof...(before)> blocks(std::integer_sequence<int, before...>) {
  return {add_block<before + 1>...};
}
constexpr auto kBlocks = blocks(std::make_integer_sequence<int, kMostRows>());

// A factor as arrays of terms, or of what else it has: rows of a, columns of b.
struct Side {
  const uint16_t* data;
  int64_t term_step, other_step;
};

// Two arrays of elements become one of pairs; the second may be missing.
void join_arrays(const uint16_t* first, const uint16_t* second, int64_t n, uint32_t* to) {
  if (second == nullptr) {
    for (int64_t i = 0; i < n; ++i) to[i] = first[i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = first[i] | static_cast<uint32_t>(second[i]) << 16;
  }
}

uint32_t pair_at(const Side& side, int64_t term, int64_t terms, int64_t other) {
  const uint16_t* const place = side.data + term * side.term_step + other * side.other_step;
  const uint32_t second = term + 1 < terms ? place[side.term_step] : 0;
  return place[0] | second << 16;
}

// [pair][n], with room for `width`; what lies behind n is not written.
void pack(const Side& side, int64_t terms, int64_t n, int64_t width, uint32_t* to) {
  if (side.other_step == 1) {
    for (int64_t term = 0; term < terms; term += 2) {
      const uint16_t* const first = side.data + term * side.term_step;
      join_arrays(first, term + 1 < terms ? first + side.term_step : nullptr, n, to);
      to += width;
    }
    return;
  }
  const bool has_pairs = side.term_step == 1 && side.other_step % 2 == 0 &&
                         reinterpret_cast<uintptr_t>(side.data) % sizeof(uint32_t) == 0;
  const int64_t whole = has_pairs ? terms / 2 : 0;
  const Columns<uint32_t> pairs = {reinterpret_cast<const uint32_t*>(side.data),
                                   side.other_step / 2};
  if (whole > 0) transpose(pairs, whole, n, to, width);
  for (int64_t pair = whole; 2 * pair < terms; ++pair) {
    for (int64_t i = 0; i < n; ++i) to[pair * width + i] = pair_at(side, 2 * pair, terms, i);
  }
}

Side side_of(const BatchedMatrix& matrix, int64_t offset, int64_t row, int64_t column) {
  return {reinterpret_cast<const uint16_t*>(matrix.at(offset, row, column)), 0, 0};
}

int64_t block_height(int64_t rows) {
  const int64_t count = (rows + kMostRows - 1) / kMostRows;
  return (rows + count - 1) / count;
}

// All blocks of a tile, once its factors are packed.
void multiply_packed(const PairTile& tile, int64_t pairs, const uint32_t* a, const uint32_t* b,
                     float* c, int64_t c_stride, bool add) {
  const int64_t height = block_height(tile.rows);
  alignas(64) float edge[kMostRows * kColumns];
  for (int64_t column = 0; column < tile.columns; column += kColumns) {
    const int64_t width = std::min(kColumns, tile.columns - column);
    for (int64_t row = 0; row < tile.rows; row += height) {
      const int64_t rows = std::min(height, tile.rows - row);
      float* const to = c + row * c_stride + column;
      const Block block = kBlocks[rows - 1];
      if (width == kColumns) {
        block(pairs, a + row * pairs, b + column * pairs, to, c_stride, add);
        continue;
      }
      block(pairs, a + row * pairs, b + column * pairs, edge, kColumns, false);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          to[i * c_stride + j] = (add ? to[i * c_stride + j] : 0) + edge[i * kColumns + j];
        }
      }
    }
  }
}

}  // namespace

bool multiplies_pairs(const GemmPlan& plan) {
  return plan.a.dtype == ACL_BF16 && plan.b.dtype == ACL_BF16 && plan.a.source == nullptr &&
         plan.b.source == nullptr && plan.computed == ACL_FLOAT && plan.k >= kLeastTerms &&
         static_cast<double>(plan.m) * plan.n * plan.k >= kLeastWork &&
         __builtin_cpu_supports("avx512bf16");
}

int64_t pair_words(int64_t rows, int64_t columns) {
  return kPairTerms / 2 * (rows + columns + 2 * kColumns);
}

void multiply_pairs(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                    int64_t c_stride, bool add) {
  const int64_t height = block_height(tile.rows);
  for (int64_t done = 0; done < tile.terms; done += kPairTerms) {
    const int64_t terms = std::min(kPairTerms, tile.terms - done), first = tile.first + done;
    const int64_t pairs = (terms + 1) / 2;
    uint32_t* const a = words;
    uint32_t* const b = words + tile.rows * pairs;
    for (int64_t row = 0; row < tile.rows; row += height) {
      Side side = side_of(plan.a, tile.offset_a, tile.row + row, first);
      side.term_step = plan.a.column_stride;
      side.other_step = plan.a.row_stride;
      const int64_t rows = std::min(height, tile.rows - row);
      pack(side, terms, rows, rows, a + row * pairs);
    }
    for (int64_t column = 0; column < tile.columns; column += kColumns) {
      Side side = side_of(plan.b, tile.offset_b, first, tile.column + column);
      side.term_step = plan.b.row_stride;
      side.other_step = plan.b.column_stride;
      pack(side, terms, std::min(kColumns, tile.columns - column), kColumns, b + column * pairs);
    }
    multiply_packed(tile, pairs, a, b, c, c_stride, add || done > 0);
  }
}

#else

bool multiplies_pairs(const GemmPlan&) { return false; }
int64_t pair_words(int64_t, int64_t) { return 0; }
void multiply_pairs(const GemmPlan&, const PairTile&, uint32_t*, float*, int64_t, bool) {}

#endif

}  // namespace ACLHOST_ISA
}  // namespace aclhost
