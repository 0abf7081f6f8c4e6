// SPDX-License-Identifier: Apache-2.0
// Note [Matrix products]
// out = alpha * (a b) + beta * addend, over batches that broadcast. FLOAT, FLOAT16 and BF16 are
// computed in float, DOUBLE in double, integers wrap in 8, 32 or 64 bits; the result is rounded
// once.
//
// The result is cut into tiles that follow from the shapes alone, so that bits depend neither on
// the number of threads nor on which of them computes what. A tile is a sum of products of panels
// (multiply.h). A factor that BLAS can read where it is is its own panel, transposed or not; of any
// other, a panel at a time is cast and brought together. Few tiles with long sums are cut along the
// sum as well; the parts are added in their order.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A part of a matrix.
struct Panel {
  int64_t batch;  // position among the batches of the result, or among those that are added up
  int64_t row, rows;
  int64_t column, columns;
};

// A factor that is nowhere in memory: panels are made when they are needed, with rows or columns
// that are arrays one behind the other.
struct PanelSource {
  const void* context;
  bool columns;
  void (*fill)(const void* context, const Panel& panel, float* to);
};

struct Gemm {
  const TensorView& out;               // [..., m, n]
  const TensorView& a;                 // [..., m, k]
  const TensorView& b;                 // [..., k, n]
  const TensorView* addend = nullptr;  // broadcasts to out; not read where beta is 0
  double alpha = 1;                    // 0: the factors are not read
  double beta = 1;
  bool sums_batches = false;              // out has no batches, those of a and b are added up
  const PanelSource* b_panels = nullptr;  // instead of b's memory; out is floating
};

// Out may be the addend; it shares no memory with the factors.
Status gemm(const Gemm& product);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
