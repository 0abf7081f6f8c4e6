// SPDX-License-Identifier: Apache-2.0
#include "engines/pair_products.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engines/pair_packing.h"
#include "engines/pair_tiles.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

#if defined(__AVX512F__)
namespace {

using namespace pair_packing;  // blocks have kColumns columns

constexpr int kMostRows = 14;  // of a block: their sums leave registers for the factors
constexpr int64_t kLine = 16;  // words
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
  const aclDataType dtype = plan.a.dtype;
  return (dtype == ACL_BF16 || dtype == ACL_FLOAT16) && plan.b.dtype == dtype &&
         plan.a.source == nullptr && plan.b.source == nullptr && plan.computed == ACL_FLOAT &&
         plan.k >= kLeastTerms && static_cast<double>(plan.m) * plan.n * plan.k >= kLeastWork &&
         (has_pair_tiles(dtype) || (dtype == ACL_BF16 && __builtin_cpu_supports("avx512bf16")));
}

int64_t pair_words(int64_t rows, int64_t columns) {
  const int64_t of_blocks = kPairTerms / 2 * (rows + columns + 2 * kColumns + kLine);
  return std::max(of_blocks, pair_tile_words(rows, columns));
}

void multiply_pairs(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                    int64_t c_stride, bool add) {
  if (has_pair_tiles(plan.a.dtype)) {
    return multiply_pair_tiles(plan, tile, words, c, c_stride, add);
  }
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
