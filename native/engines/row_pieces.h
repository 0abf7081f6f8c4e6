// SPDX-License-Identifier: Apache-2.0
// Rows of one length in pieces that threads share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Some whole rows, or a piece of one.
struct RowRange {
  int64_t first, last;  // rows
  int64_t begin, end;   // elements of each
};

// Calls visit(range) for ranges that cover all rows, with pieces of at most `piece` elements. Where
// the order counts, one thread takes them in turn. `cost` tells how much work an element is.
template <typename Visit>
void for_each_range(int64_t rows, int64_t length, int64_t piece, bool in_order, const Visit& visit,
                    int64_t cost = 1) {
  constexpr int64_t kParallelElements = 8192;  // less is not worth a second thread
  if (length <= 0) return;
  const int64_t pieces = (length + piece - 1) / piece, total = rows * pieces;
  const int64_t work = std::min(length, piece) * std::min(cost, kParallelElements);
  const int64_t grain = std::max<int64_t>(kParallelElements / work, 1);
  parallel_for(total, in_order ? std::max<int64_t>(total, 1) : grain,
               [&](int64_t first, int64_t last) {
                 if (pieces == 1) return visit(RowRange{first, last, 0, length});
                 for (int64_t i = first; i < last; ++i) {
                   const int64_t row = i / pieces, begin = i % pieces * piece;
                   visit(RowRange{row, row + 1, begin, std::min(begin + piece, length)});
                 }
               });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
