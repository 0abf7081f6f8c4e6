// SPDX-License-Identifier: Apache-2.0
#include "engines/pair_tiles.h"

#include <algorithm>

#include "engines/pair_packing.h"

#if defined(__AVX512F__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace aclhost {
inline namespace ACLHOST_ISA {

#if defined(__AVX512F__) && defined(__linux__)
namespace {

using pair_packing::kColumns;
using pair_packing::Side;

constexpr int64_t kSide = 16;  // rows of a register, words of a row
constexpr int64_t kArea = kSide * kSide;
constexpr int64_t kBytes = kSide * sizeof(float);  // of a row
constexpr int64_t kRows = 2 * kSide;               // of a block, which has kColumns columns

// g++ 12 knows no intrinsics for FLOAT16, and those for BF16 do not tell that they read memory.
template <int to>
void clear_tile() {
  asm volatile("tilezero %%tmm%c0" ::"i"(to));
}
template <int to>
void load_tile(const void* from, int64_t step) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(step), "i"(to) : "memory");
}
template <int from>
void store_tile(void* to, int64_t step) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(step), "i"(from) : "memory");
}
template <bool half, int to, int rows, int columns>
void add_tile() {
  if constexpr (half) {
    // tdpfp16ps, by its code: assemblers older than binutils 2.40 do not know it.
    constexpr int kThird = (~columns & 15) << 3 | 3, kOthers = 0xC0 | to << 3 | rows;
    asm volatile(".byte 0xC4, 0xE2, %c0, 0x5C, %c1" ::"i"(kThird), "i"(kOthers));
  } else {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(to), "i"(rows), "i"(columns));
  }
}

// All eight registers of this thread have 16 rows meanwhile. A thread that uses none is switched
// sooner.
class TileRegisters {
 public:
  TileRegisters() {
    struct {
      uint8_t palette = 1, first_row = 0, reserved[14] = {};
      uint16_t bytes[16] = {};
      uint8_t rows[16] = {};
    } config;
    std::fill_n(config.bytes, 8, kBytes);
    std::fill_n(config.rows, 8, kSide);
    asm volatile("ldtilecfg %0" ::"m"(config));
  }
  ~TileRegisters() { asm volatile("tilerelease"); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

// Sums for a register of rows, or two: registers 0 and 1 are the first one's, 2 and 3 the second
// one's. Rows are packed as registers hold them, those of the second follow `second` words later.
template <bool half, bool has_second>
void add_block(int64_t steps, const uint32_t* a, int64_t second, const uint32_t* b, float* c,
               int64_t c_stride, bool add) {
  const int64_t c_step = c_stride * sizeof(float);
  float* const below = c + kSide * c_stride;
  if (add) {
    load_tile<0>(c, c_step);
    load_tile<1>(c + kSide, c_step);
    if constexpr (has_second) {
      load_tile<2>(below, c_step);
      load_tile<3>(below + kSide, c_step);
    }
  } else {
    clear_tile<0>();
    clear_tile<1>();
    clear_tile<2>();
    clear_tile<3>();
  }
  for (int64_t step = 0; step < steps; ++step) {
    load_tile<4>(b, 2 * kBytes);
    load_tile<5>(b + kSide, 2 * kBytes);
    load_tile<6>(a, kBytes);
    add_tile<half, 0, 6, 4>();
    add_tile<half, 1, 6, 5>();
    if constexpr (has_second) {
      load_tile<7>(a + second, kBytes);
      add_tile<half, 2, 7, 4>();
      add_tile<half, 3, 7, 5>();
    }
    a += kArea;
    b += kSide * kColumns;
  }
  store_tile<0>(c, c_step);
  store_tile<1>(c + kSide, c_step);
  if constexpr (has_second) {
    store_tile<2>(below, c_step);
    store_tile<3>(below + kSide, c_step);
  }
}

int64_t rounded_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// Some rows, up to the columns of a block, as registers hold them: [register of rows][step][row]
// [pair], with zeros behind the last term. What lies behind the last row means nothing.
void pack_rows(const Side& side, int64_t terms, int64_t n, int64_t steps, uint32_t* turned,
               uint32_t* to) {
  const auto place = [&](int64_t row, int64_t step) {
    return to + (row / kSide * steps + step) * kArea + row % kSide * kSide;
  };
  if (side.term_step == 1) {
    for (int64_t row = 0; row < n; ++row) {
      const uint16_t* const from = side.data + row * side.other_step;
      for (int64_t step = 0; step < steps; ++step) {
        const int64_t left = std::min(terms - step * 2 * kSide, 2 * kSide);
        const auto some = static_cast<__mmask32>((uint64_t{1} << left) - 1);
        const __m512i words = _mm512_maskz_loadu_epi16(some, from + step * 2 * kSide);
        _mm512_storeu_si512(place(row, step), words);
      }
    }
    return;
  }
  const int64_t pairs = (terms + 1) / 2;
  pair_packing::pack(side, terms, n, kColumns, turned);
  std::fill(turned + pairs * kColumns, turned + steps * kSide * kColumns, 0);
  for (int64_t row = 0; row < n; row += kSide) {
    for (int64_t step = 0; step < steps; ++step) {
      const Columns<uint32_t> square = {turned + step * kSide * kColumns + row, kColumns};
      transpose(square, kSide, kSide, place(row, step), kSide);
    }
  }
}

// All columns of a tile: [columns of a block][step][pair][column], likewise.
void pack_columns(const Side& side, int64_t terms, int64_t n, int64_t steps, uint32_t* to) {
  const int64_t pairs = (terms + 1) / 2, padded = steps * kSide;
  const auto for_each_block = [&](const auto& body) {
    for (int64_t first = 0; first < n; first += kColumns) {
      const Side own = {side.data + first * side.other_step, side.term_step, side.other_step};
      body(own, std::min(kColumns, n - first), to + first * padded);
    }
  };
  if (side.other_step == 1) {  // rows are read along memory
    for (int64_t pair = 0; pair < pairs; ++pair) {
      for_each_block([&](const Side& own, int64_t count, uint32_t* place) {
        pair_packing::join_terms(own, 2 * pair, terms, count, place + pair * kColumns);
      });
    }
  }
  for_each_block([&](const Side& own, int64_t count, uint32_t* place) {
    if (side.other_step != 1) pair_packing::pack(own, terms, count, kColumns, place);
    std::fill(place + pairs * kColumns, place + padded * kColumns, 0);
  });
}

void copy_row(const float* from, int64_t n, float* to) {
  const auto some = static_cast<__mmask32>((uint64_t{1} << n) - 1);
  const auto low = static_cast<__mmask16>(some), high = static_cast<__mmask16>(some >> 16);
  _mm512_mask_storeu_ps(to, low, _mm512_maskz_loadu_ps(low, from));
  _mm512_mask_storeu_ps(to + kSide, high, _mm512_maskz_loadu_ps(high, from + kSide));
}

// All blocks of a tile.
template <bool half>
void multiply_packed(const PairTile& tile, int64_t steps, const uint32_t* a, const uint32_t* b,
                     float* c, int64_t c_stride, bool add) {
  const TileRegisters registers;
  const int64_t second = steps * kArea;
  alignas(64) float edge[kRows * kColumns];
  for (int64_t column = 0; column < tile.columns; column += kColumns) {
    const int64_t width = std::min(kColumns, tile.columns - column);
    for (int64_t row = 0; row < tile.rows; row += kRows) {
      const int64_t rows = std::min(kRows, tile.rows - row);
      const auto add_block =
          rows > kSide ? aclhost::add_block<half, true> : aclhost::add_block<half, false>;
      const uint32_t* const of_a = a + row / kSide * second;
      const uint32_t* const of_b = b + column * steps * kSide;
      float* const to = c + row * c_stride + column;
      if (width == kColumns && rows % kSide == 0) {
        add_block(steps, of_a, second, of_b, to, c_stride, add);
        continue;
      }
      if (add) {
        for (int64_t i = 0; i < rows; ++i) {
          copy_row(to + i * c_stride, width, edge + i * kColumns);
        }
      }
      add_block(steps, of_a, second, of_b, edge, kColumns, add);
      for (int64_t i = 0; i < rows; ++i) {
        copy_row(edge + i * kColumns, width, to + i * c_stride);
      }
    }
  }
}

bool has_half_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAmxFp16 = 1 << 21;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAmxFp16) != 0;
}

// Registers that large are not saved for processes that did not ask for them.
bool may_use_tiles() {
  constexpr long kAskForState = 0x1023, kTileData = 18;
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

}  // namespace

bool has_pair_tiles(aclDataType dtype) {
  static const bool of_bfloats = may_use_tiles();
  static const bool of_halves = of_bfloats && has_half_tiles();
  return (dtype == ACL_BF16 && of_bfloats) || (dtype == ACL_FLOAT16 && of_halves);
}

int64_t pair_tile_words(int64_t rows, int64_t columns) {
  return kPairTerms / 2 * (rounded_up(rows, kSide) + rounded_up(columns, kColumns) + kColumns);
}

void multiply_pair_tiles(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                         int64_t c_stride, bool add) {
  const auto multiply =
      plan.a.dtype == ACL_FLOAT16 ? multiply_packed<true> : multiply_packed<false>;
  for (int64_t done = 0; done < tile.terms; done += kPairTerms) {
    const int64_t terms = std::min(kPairTerms, tile.terms - done), first = tile.first + done;
    const int64_t steps = (terms + 2 * kSide - 1) / (2 * kSide), pairs = steps * kSide;
    uint32_t* const turned = words;
    uint32_t* const a = turned + pairs * kColumns;
    uint32_t* const b = a + pairs * rounded_up(tile.rows, kSide);
    for (int64_t row = 0; row < tile.rows; row += kColumns) {
      const Side side = pair_packing::rows_of(plan.a, tile.offset_a, tile.row + row, first);
      const int64_t n = std::min(kColumns, tile.rows - row);
      pack_rows(side, terms, n, steps, turned, a + row * pairs);
    }
    const Side columns = pair_packing::columns_of(plan.b, tile.offset_b, first, tile.column);
    pack_columns(columns, terms, tile.columns, steps, b);
    multiply(tile, steps, a, b, c, c_stride, add || done > 0);
  }
}

#else

bool has_pair_tiles(aclDataType) { return false; }
int64_t pair_tile_words(int64_t, int64_t) { return 0; }
void multiply_pair_tiles(const GemmPlan&, const PairTile&, uint32_t*, float*, int64_t, bool) {}

#endif

}  // namespace ACLHOST_ISA
}  // namespace aclhost
