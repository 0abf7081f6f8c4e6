// SPDX-License-Identifier: Apache-2.0
// Pooling in blocks of rows and columns whose maxima stay in the cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>

#include "engines/elementwise.h"
#include "kernels/pooling/max_pool3d_packed.h"
#include "kernels/pooling/max_pool3d_sliding.h"
#include "kernels/pooling/max_pool3d_tensors.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class PoolInBlocks {
  using Row = typename PoolTensors<T, Index>::Row;
  using Maxima = SlidingMaxima<T>;

 public:
  explicit PoolInBlocks(const PoolTensors<T, Index>& pool) : pool_(pool), plan_(make_plan()) {}

  // For windows that share elements, and for small planes of narrow rows in any case.
  bool pays() const {
    const Window& window = pool_.window;
    const bool overlap = window.kernel[0] > window.stride[0] || window.kernel[1] > window.stride[1];
    return plan_.packed || (overlap && plan_.memory <= kMostMemory);
  }

  void compute() const {
    // A tap along an axis costs about as much as an element of a plain loop.
    int64_t cost = plan_.planes * plan_.rows * plan_.columns;
    for (int64_t taps : pool_.window.kernel) cost *= std::min<int64_t>(taps, 8);
    parallel_for(plan_.blocks * pieces(pool_.out.shape[2], plan_.planes),
                 std::max<int64_t>(kParallelElements / cost, 1),
                 [&](int64_t begin, int64_t end) { compute_blocks(begin, end); });
  }

 private:
  static constexpr int64_t kUsualMemory = 128 << 10;
  static constexpr int64_t kMostMemory = 2 << 20;
  static constexpr int64_t kStackMemory = 32 << 10;
  static constexpr int64_t kLine = 64;

  // The size of blocks, and the memory that each takes.
  struct Plan {
    int64_t columns, rows, planes, memory;
    bool packed = false;
    int64_t blocks = 0;  // without regard to planes
  };

  static int64_t pieces(int64_t length, int64_t piece) { return (length + piece - 1) / piece; }

  // Blocks are computed in parts of their depth where slabs are few.
  Plan make_plan() const {
    const int64_t rows = pool_.out.shape[3], columns = pool_.out.shape[4];
    const int64_t planes = pool_.out.shape[2];
    const int64_t packed = PackedMaxima<T>::memory(pool_.self.slab(0), pool_.window, rows, columns);
    Plan plan = {std::min(columns, Maxima::kMostColumns), rows, planes, packed};
    plan.packed = packed <= kUsualMemory;
    const auto memory = [&] {
      return Maxima::memory(pool_.self.slab(0), pool_.window, plan.rows, plan.columns);
    };
    while (!plan.packed && (plan.memory = memory()) > kUsualMemory && plan.rows > 1) {
      plan.rows = (plan.rows + 1) / 2;
    }
    plan.blocks = pool_.out.slabs() * pieces(rows, plan.rows) * pieces(columns, plan.columns);
    const int64_t wanted = pieces(4 * thread_count(), plan.blocks);
    plan.planes = std::max(pieces(planes, wanted),
                           std::min(planes, 2 * std::min(planes, pool_.window.kernel[0])));
    return plan;
  }

  void compute_blocks(int64_t begin, int64_t end) const {
    alignas(kLine) char stack[kStackMemory];
    std::unique_ptr<char[]> heap;
    char* memory = stack;
    if (plan_.memory > kStackMemory) {
      if (plan_.memory <= kMostMemory) heap.reset(new (std::nothrow) char[plan_.memory + kLine]);
      memory = heap.get();
      memory += -reinterpret_cast<uintptr_t>(memory) % kLine;
    }
    for (int64_t number = begin; number < end; ++number) {
      int64_t left = number;
      const auto piece = [&](int64_t length, int64_t size, int64_t* first) {
        const int64_t count = pieces(length, size);
        *first = left % count * size;
        left /= count;
        return std::min(size, length - *first);
      };
      PoolBlock block;
      int64_t first;
      block.columns = piece(pool_.out.shape[4], plan_.columns, &block.column);
      block.rows = piece(pool_.out.shape[3], plan_.rows, &block.row);
      const int64_t planes = piece(pool_.out.shape[2], plan_.planes, &first);
      if (plan_.packed && memory) {
        compute_packed(left, block, first, first + planes, memory);
      } else {
        compute_block(left, block, first, first + planes, memory);
      }
    }
  }

  void compute_block(int64_t number, const PoolBlock& block, int64_t first, int64_t last,
                     char* memory) const {
    const Slab slab = pool_.self.slab(number);
    if (!memory) {
      pool_.for_each_row(number, slab, block, first, last, [&](const Row& row, int64_t) {
        pool_.compute_one_by_one(row, block.column, block.column + block.columns);
      });
      return;
    }
    Maxima maxima(pool_.window, slab, block, memory);
    T staged_elements[Maxima::kMostColumns];
    int32_t staged_places[Maxima::kMostColumns];
    Taps seen = {-1, 0, 0};
    pool_.for_each_row(
        number, slab, block, first, last, [&](const Row& row, int64_t number_in_block) {
          if (row.depth.count == 0 || row.height.count == 0) {
            pool_.compute_one_by_one(row, block.column, block.column + block.columns);
            return;
          }
          if (row.depth.first != seen.first || row.depth.count != seen.count) {
            maxima.look_at(seen = row.depth);
          }
          char* const out = row.out + block.column * pool_.out.strides[4];
          char* const indices = row.indices + block.column * pool_.indices.strides[4];
          T* const elements =
              in_place<T>(out, pool_.out.strides[4], block.columns, staged_elements);
          int32_t* const places =
              in_place<Index>(indices, pool_.indices.strides[4], block.columns, staged_places);
          const bool doubtful = maxima.compute_row(number_in_block, row.height, elements, places);
          put_row<T>(elements, block.columns, out, pool_.out.strides[4]);
          put_row<Index>(places, block.columns, indices, pool_.indices.strides[4]);
          if (doubtful) pool_doubtful(row, block, false);
        });
  }

  // Likewise, for a block that is a whole plane.
  void compute_packed(int64_t number, const PoolBlock& block, int64_t first, int64_t last,
                      char* memory) const {
    const Slab slab = pool_.self.slab(number), out = pool_.out.slab(number);
    const Slab indices = pool_.indices.slab(number);
    PackedMaxima<T> maxima(pool_.window, slab, block.rows, block.columns, memory);
    for (int64_t d = first; d < last; ++d) {
      const Taps depth = pool_.taps(slab, 0, d);
      const bool empty = depth.count == 0;
      const bool doubtful = empty || maxima.compute(depth);
      if (!empty) {
        put_plane<T>(maxima.elements(), out, d);
        put_plane<Index>(maxima.places(), indices, d);
      }
      if (!doubtful) continue;
      pool_.for_each_row(number, slab, block, d, d + 1, [&](const Row& row, int64_t) {
        if (empty) return pool_.compute_one_by_one(row, 0, block.columns);
        pool_doubtful(row, block, true);
      });
    }
  }

  template <typename To, typename From>
  static void put_plane(const From* from, const Slab& to, int64_t depth) {
    const int64_t rows = to.shape[1], columns = to.shape[2], stride = to.strides[2];
    if (stride == sizeof(To) && to.strides[1] == columns * stride) {
      return put_row<To>(from, rows * columns, to.row(depth, 0), stride);
    }
    for (int64_t h = 0; h < rows; ++h) {
      put_row<To>(from + h * columns, columns, to.row(depth, h), stride);
    }
  }

  // A row of the result if it can be computed there, in whole vectors, else where it is staged.
  template <typename To, typename From>
  static From* in_place(char* row, int64_t stride, int64_t columns, From* staged) {
    const bool possible = sizeof(To) == sizeof(From) && stride == sizeof(To) &&
                          columns % Maxima::kStep == 0 &&
                          reinterpret_cast<uintptr_t>(row) % alignof(From) == 0;
    return possible ? reinterpret_cast<From*>(row) : staged;
  }

  template <typename To, typename From>
  static void put_row(const From* from, int64_t columns, char* row, int64_t stride) {
    constexpr int64_t kItem = sizeof(To);
    if (reinterpret_cast<const char*>(from) == row) return;
    if (stride == kItem) {
      for (int64_t i = 0; i < columns; ++i) store(row + i * kItem, static_cast<To>(from[i]));
    } else {
      for (int64_t i = 0; i < columns; ++i) store(row + i * stride, static_cast<To>(from[i]));
    }
  }

  // Those of a row that PoolKeys cannot tell, also from padding above and below if that was seen.
  void pool_doubtful(const Row& row, const PoolBlock& block, bool saw_rows_of_padding) const {
    for (int64_t w = block.column; w < block.column + block.columns; ++w) {
      const auto value = widen(load<T>(row.out + w * pool_.out.strides[4]));
      const int64_t first = w * pool_.window.stride[2] - pool_.window.padding[2];
      const int64_t last = first + (pool_.window.kernel[2] - 1) * pool_.window.dilation[2];
      const bool sees_padding = saw_rows_of_padding || first < 0 || last >= row.slab.shape[2];
      if (std::abs(value) > 0 && (std::isfinite(value) || (std::isinf(value) && !sees_padding))) {
        continue;
      }
      pool_.compute_one_by_one(row, w, w + 1);
    }
  }

  const PoolTensors<T, Index>& pool_;
  const Plan plan_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
