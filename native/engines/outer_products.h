// SPDX-License-Identifier: Apache-2.0
// Note [Outer products]
// The innermost loop of products of matrices: a block of sums stays in registers while columns of
// one factor meet rows of the other. Every sum is taken term by term with fused multiplications, so
// that its bits depend neither on the size of blocks nor on the processor. Rows of the second
// factor may lie anywhere: those of convolutions are where the image is. Pairs of BF16 are summed
// in the order of the processor's instruction.
#pragma once

#include <cstdint>

#include "simd/isa.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows of a block: as many as leave registers for two vectors of the other factor.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kMostRows = 14;
#else
constexpr int kMostRows = 6;
#endif

// Blocks of few rows are wide, or each multiplication would wait for the one before.
constexpr int kFewRows = 3;
constexpr int64_t kColumns = 2 * kLanes<float>, kWideColumns = 4 * kLanes<float>;
constexpr int64_t columns_for(int64_t height) {
  return height <= kFewRows ? kWideColumns : kColumns;
}

// Blocks of rows of about the same height.
inline int64_t block_height(int64_t rows) {
  const int64_t blocks = (rows + kMostRows - 1) / kMostRows;
  return (rows + blocks - 1) / blocks;
}

// Term p is the column a[p * rows ...], or a[a_places[p] ...], times the row b[places[p] ...].
struct OuterProducts {
  int64_t terms;
  const float* a;
  const float* b;
  const int64_t* places;
  bool pairs = false;  // of BF16 instead of floats: Note [Pairs of BF16] in pair_products.h
  const int64_t* a_places = nullptr;
};

// Whether the processor has an instruction for pairs.
bool has_pair_products();

// The sums of a block, or these added to what is there. Rows of c lie c_stride elements apart. All
// columns of a block are read and written; a wide one has few rows.
void add_outer_products(int64_t rows, int64_t columns, const OuterProducts& products, float* c,
                        int64_t c_stride, bool add);

// Blocks of rows of a matrix as columns of their own, one block behind the other.
void pack_rows(const float* matrix, int64_t row_stride, int64_t rows, int64_t columns, float* to);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
