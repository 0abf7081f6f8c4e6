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
constexpr int64_t kLine = 16;     // words
constexpr double kLeastWork = 1 << 15;
constexpr int64_t kLeastTerms = 16;

// Rows that meet few columns are read where they are, unless they lie so far apart that they share
// their places in the cache: bringing them together would take as long as multiplying them.
constexpr int64_t kFewColumns = 4 * kColumns, kMostApart = 512;

// Rows of a factor as they lie in memory, or packed: side by side for each pair.
struct PairRows {
  const uint32_t* data;
  int64_t row_step, pair_step;

  bool packed() const { return row_step == 1; }
};

using Block = void (*)(int64_t pairs, const PairRows& rows_of_a, const uint32_t* b, float* c,
                       int64_t c_stride, bool add);

// Pair p of each row of a times the row b[p * kColumns ...].
template <int rows, bool packed>
__attribute__((target("avx512bf16"))) void add_block(int64_t pairs, const PairRows& rows_of_a,
                                                     const uint32_t* b, float* c, int64_t c_stride,
                                                     bool add) {
  const uint32_t* a = rows_of_a.data;
  const int64_t row_step = packed ? 1 : rows_of_a.row_step;
  __m512 sums[rows][2] = {};
  for (int64_t p = 0; p < pairs; ++p) {
    const auto low = (__m512bh)_mm512_loadu_si512(b);
    const auto high = (__m512bh)_mm512_loadu_si512(b + kColumns / 2);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      const auto factor = (__m512bh)_mm512_set1_epi32(static_cast<int>(a[i * row_step]));
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], factor, low);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], factor, high);
    }
    a += packed ? rows_of_a.pair_step : 1;
    b += kColumns;
  }
  // Sums stay in registers only where no loop is left.
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      float* const to = c + i * c_stride + half * kColumns / 2;
      _mm512_storeu_ps(to, add ? _mm512_loadu_ps(to) + sums[i][half] : sums[i][half]);
    }
  }
}

template <bool packed, int... before>
constexpr std::array<Block, sizeof...(before)> blocks(std::integer_sequence<int, before...>) {
  return {add_block<before + 1, packed>...};
}
constexpr auto kBlocks = blocks<true>(std::make_integer_sequence<int, kMostRows>());
constexpr auto kBlocksInPlace = blocks<false>(std::make_integer_sequence<int, kMostRows>());

// A factor as arrays of terms, or of what else it has: rows of a, columns of b.
struct Side {
  const uint16_t* data;
  int64_t term_step, other_step;
};

// Two arrays of elements become one of pairs; the second may be missing. Whole vectors are written:
// what lies behind n is packed later, or nobody's.
void join_arrays(const uint16_t* first, const uint16_t* second, int64_t n, uint32_t* to) {
  constexpr int64_t kWords = 16;
  for (int64_t i = 0; i < n; i += kWords) {
    const int64_t count = std::min(kWords, n - i);
    const auto some = static_cast<__mmask16>((1u << count) - 1);
    const auto widened = [&](const uint16_t* from) {
      return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, from + i));
    };
    __m512i pairs = widened(first);
    if (second != nullptr) pairs |= _mm512_slli_epi32(widened(second), 16);
    _mm512_storeu_si512(to + i, pairs);
  }
}

// Whether terms lie in memory pair by pair.
bool has_pairs(const Side& side) {
  return side.term_step == 1 && side.other_step % 2 == 0 &&
         reinterpret_cast<uintptr_t>(side.data) % sizeof(uint32_t) == 0;
}

uint32_t pair_at(const Side& side, int64_t term, int64_t terms, int64_t other) {
  const uint16_t* const place = side.data + term * side.term_step + other * side.other_step;
  const uint32_t second = term + 1 < terms ? place[side.term_step] : 0;
  return place[0] | second << 16;
}

// As many as a block has columns, in two vectors.
void join_columns(const uint16_t* first, const uint16_t* second, uint32_t* to) {
  const __m512i odd = second != nullptr ? _mm512_loadu_si512(second) : _mm512_setzero_si512();
  const __m512i even = _mm512_loadu_si512(first);
  const __m512i low = _mm512_unpacklo_epi16(even, odd), high = _mm512_unpackhi_epi16(even, odd);
  const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, front, high));
  _mm512_storeu_si512(to + kColumns / 2, _mm512_permutex2var_epi64(low, back, high));
}

// [pair][n], with room for `width`; what lies behind n means nothing.
void pack(const Side& side, int64_t terms, int64_t n, int64_t width, uint32_t* to) {
  if (side.other_step == 1) {
    for (int64_t term = 0; term < terms; term += 2) {
      const uint16_t* const first = side.data + term * side.term_step;
      const uint16_t* const second = term + 1 < terms ? first + side.term_step : nullptr;
      if (n == kColumns) {
        join_columns(first, second, to);
      } else {
        join_arrays(first, second, n, to);
      }
      to += width;
    }
    return;
  }
  const int64_t whole = has_pairs(side) ? terms / 2 : 0;
  const Columns<uint32_t> pairs = {reinterpret_cast<const uint32_t*>(side.data),
                                   side.other_step / 2};
  if (whole > 0) transpose(pairs, whole, n, to, width);
  for (int64_t pair = whole; 2 * pair < terms; ++pair) {
    for (int64_t i = 0; i < n; ++i) to[pair * width + i] = pair_at(side, 2 * pair, terms, i);
  }
}

Side rows_of(const BatchedMatrix& a, int64_t offset, int64_t row, int64_t term) {
  const auto* const data = reinterpret_cast<const uint16_t*>(a.at(offset, row, term));
  return {data, a.column_stride, a.row_stride};
}
Side columns_of(const BatchedMatrix& b, int64_t offset, int64_t term, int64_t column) {
  const auto* const data = reinterpret_cast<const uint16_t*>(b.at(offset, term, column));
  return {data, b.row_stride, b.column_stride};
}

int64_t block_height(int64_t rows) {
  const int64_t count = (rows + kMostRows - 1) / kMostRows;
  return (rows + count - 1) / count;
}

// Words for each pair of packed rows: an odd number of lines, which share no places in the cache.
int64_t packed_width(int64_t rows) { return (rows + kColumns - 1) / kColumns * kColumns + kLine; }

// All blocks of a tile, once its columns are packed.
void multiply_packed(const PairTile& tile, int64_t pairs, const PairRows& a, const uint32_t* b,
                     float* c, int64_t c_stride, bool add) {
  const int64_t height = block_height(tile.rows);
  const auto& blocks = a.packed() ? kBlocks : kBlocksInPlace;
  alignas(64) float edge[kMostRows * kColumns];
  for (int64_t column = 0; column < tile.columns; column += kColumns) {
    const int64_t width = std::min(kColumns, tile.columns - column);
    for (int64_t row = 0; row < tile.rows; row += height) {
      const int64_t rows = std::min(height, tile.rows - row);
      float* const to = c + row * c_stride + column;
      const PairRows some = {a.data + row * a.row_step, a.row_step, a.pair_step};
      if (width == kColumns) {
        blocks[rows - 1](pairs, some, b + column * pairs, to, c_stride, add);
        continue;
      }
      blocks[rows - 1](pairs, some, b + column * pairs, edge, kColumns, false);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          to[i * c_stride + j] = (add ? to[i * c_stride + j] : 0) + edge[i * kColumns + j];
        }
      }
    }
  }
}

// The rows of a tile, packed unless they can be read where they are.
PairRows take_rows(const GemmPlan& plan, const PairTile& tile, int64_t first, int64_t terms,
                   uint32_t* words) {
  const Side all = rows_of(plan.a, tile.offset_a, tile.row, first);
  const bool is_near = all.other_step > 0 && all.other_step <= kMostApart;
  if (tile.columns <= kFewColumns && terms % 2 == 0 && is_near && has_pairs(all)) {
    return {reinterpret_cast<const uint32_t*>(all.data), all.other_step / 2, 1};
  }
  const int64_t width = packed_width(tile.rows);
  for (int64_t row = 0; row < tile.rows; row += kColumns) {
    const Side side = rows_of(plan.a, tile.offset_a, tile.row + row, first);
    pack(side, terms, std::min(kColumns, tile.rows - row), width, words + row);
  }
  return {words, 1, width};
}

}  // namespace

bool multiplies_pairs(const GemmPlan& plan) {
  return plan.a.dtype == ACL_BF16 && plan.b.dtype == ACL_BF16 && plan.a.source == nullptr &&
         plan.b.source == nullptr && plan.computed == ACL_FLOAT && plan.k >= kLeastTerms &&
         static_cast<double>(plan.m) * plan.n * plan.k >= kLeastWork &&
         __builtin_cpu_supports("avx512bf16");
}

int64_t pair_words(int64_t rows, int64_t columns) {
  return kPairTerms / 2 * (rows + columns + 2 * kColumns + kLine);
}

void multiply_pairs(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                    int64_t c_stride, bool add) {
  for (int64_t done = 0; done < tile.terms; done += kPairTerms) {
    const int64_t terms = std::min(kPairTerms, tile.terms - done), first = tile.first + done;
    const int64_t pairs = (terms + 1) / 2;
    const PairRows a = take_rows(plan, tile, first, terms, words);
    uint32_t* const b = words + packed_width(tile.rows) * pairs;
    for (int64_t column = 0; column < tile.columns; column += kColumns) {
      const Side side = columns_of(plan.b, tile.offset_b, first, tile.column + column);
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
