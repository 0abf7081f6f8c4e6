// SPDX-License-Identifier: Apache-2.0
// Note [Tiles of pairs]
// Newer processors have registers for matrices of 16 rows with 16 pairs of BF16 or FLOAT16 each.
// One instruction multiplies two of them and adds the product to 16 rows of 16 floats: 8 to 16
// times as many terms in the same time as vectors multiply. Products are exact, sums are rounded to
// nearest even. Of a matrix's 32 terms the even ones and the odd ones are summed apart. Subnormal
// sums become 0; subnormal BF16 count as 0, subnormal FLOAT16 do not.
#pragma once

#include <cstdint>

#include "engines/pair_products.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether the processor multiplies tiles of them, and the system lets it.
bool has_pair_tiles(aclDataType dtype);

// multiply_pairs() by them, and the words that it needs.
void multiply_pair_tiles(const GemmPlan& plan, const PairTile& tile, uint32_t* words, float* c,
                         int64_t c_stride, bool add);
int64_t pair_tile_words(int64_t rows, int64_t columns);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
