// SPDX-License-Identifier: Apache-2.0
// Note [Pairs of BF16]
// Some processors multiply two pairs of BF16 and add both products to a float in one instruction,
// which takes no longer than one multiplication of floats. Terms of a sum are paired for it. The
// instruction takes subnormal numbers for 0 and rounds each of its sums to nearest even.
#pragma once

#include "engines/gemm_plan.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether the processor can, FLOAT16 in tiles only, and the product is large enough to be worth its
// packing.
bool multiplies_pairs(const GemmPlan& plan);

// A part of the result: rows x columns, with `terms` of the sums.
struct PairTile {
  int64_t offset_a, offset_b;  // of the batch
  int64_t row, rows;
  int64_t column, columns;
  int64_t first, terms;
};

// What a thread needs for tiles of at most so many rows and columns, in 32-bit words.
constexpr int64_t kPairTerms = 512;  // that are packed at a time; even
int64_t pair_words(int64_t rows, int64_t columns);

// c = the sums of a tile, or c += these. Rows of c lie c_stride floats apart.
void multiply_pairs(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                    int64_t c_stride, bool add);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
