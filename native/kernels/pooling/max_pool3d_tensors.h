// SPDX-License-Identifier: Apache-2.0
// The tensors of a pool, and its rows one by one, by the definition.
#pragma once

#include <cstdint>

#include "kernels/pooling/max_pool.h"
#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows and columns of the result that are computed together, through some of its planes.
struct PoolBlock {
  int64_t row, rows;
  int64_t column, columns;
};

template <typename T, typename Index>
struct PoolTensors {
  explicit PoolTensors(const MaxPool& pool)
      : window(pool.window),
        self(volumes_of(pool.self, sizeof(T), pool.channels_last)),
        out(volumes_of(pool.out, sizeof(T), pool.channels_last)),
        indices(volumes_of(pool.indices, sizeof(Index), pool.channels_last)) {}

  bool empty() const { return self.empty() || out.empty(); }

  // Where a row of the result is, and its slab of the input.
  struct Row {
    const Slab& slab;
    Taps depth, height;
    char* out;
    char* indices;
  };

  Taps taps(const Slab& slab, int axis, int64_t position) const {
    return taps_of(window, axis, position, slab.shape[axis]);
  }

  // Columns of a row.
  void compute_one_by_one(const Row& row, int64_t begin, int64_t end) const {
    for (int64_t w = begin; w < end; ++w) {
      const Maximum<T> best =
          window_maximum<T>(row.slab, row.depth, row.height, taps(row.slab, 2, w));
      store(row.out + w * out.strides[4], best.element);
      store(row.indices + w * indices.strides[4], static_cast<Index>(best.index));
    }
  }

  // Calls visit(row, its number in the block) for some planes of a block.
  template <typename Visit>
  void for_each_row(int64_t number, const Slab& slab, const PoolBlock& block, int64_t first,
                    int64_t last, const Visit& visit) const {
    const Slab out_slab = out.slab(number), index_slab = indices.slab(number);
    for (int64_t d = first; d < last; ++d) {
      const Taps depth = taps(slab, 0, d);
      for (int64_t i = 0; i < block.rows; ++i) {
        const int64_t h = block.row + i;
        visit(Row{slab, depth, taps(slab, 1, h), out_slab.row(d, h), index_slab.row(d, h)}, i);
      }
    }
  }

  const Window window;
  const Volumes self, out, indices;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
