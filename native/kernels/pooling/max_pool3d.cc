// SPDX-License-Identifier: Apache-2.0
#include "kernels/pooling/max_pool3d.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engines/elementwise.h"
#include "kernels/pooling/max_pool3d_blocks.h"
#include "kernels/pooling/max_pool3d_rows.h"
#include "kernels/pooling/max_pool3d_tensors.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"
#include "ops/max_pool3d_with_argmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Stands for MaximaOfRow where that is not possible.
struct NoVectors {
  NoVectors(const Slab&, const Window&) {}
};

template <typename T, typename Index>
class PoolByRows {
  using Row = typename PoolTensors<T, Index>::Row;

 public:
  explicit PoolByRows(const PoolTensors<T, Index>& pool) : pool_(pool) {}

  void compute() const {
    const int64_t rows = pool_.out.slabs() * pool_.out.shape[2] * pool_.out.shape[3];
    // A tap costs about as much as an element of a plain loop.
    int64_t cost = pool_.out.shape[4];
    for (int64_t taps : pool_.window.kernel) cost *= std::min<int64_t>(taps, 64);
    const int64_t grain = std::max<int64_t>(kParallelElements / cost, 1);
    const bool in_vectors = MaximaOfRow<T>::possible(pool_.self.slab(0), pool_.window);
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      in_vectors ? compute_rows<true>(begin, end) : compute_rows<false>(begin, end);
    });
  }

 private:
  // Rows are numbered through all slabs and computed independently.
  template <bool in_vectors>
  void compute_rows(int64_t begin, int64_t end) const {
    const int64_t planes = pool_.out.shape[2], plane_rows = pool_.out.shape[3];
    int64_t h = begin % plane_rows, d = begin / plane_rows % planes;
    int64_t number = begin / plane_rows / planes;
    for (int64_t left = end - begin; left > 0; ++number, d = 0) {
      const Slab slab = pool_.self.slab(number), out = pool_.out.slab(number);
      const Slab indices = pool_.indices.slab(number);
      std::conditional_t<in_vectors, MaximaOfRow<T>, NoVectors> maxima(slab, pool_.window);
      for (; d < planes && left > 0; ++d, h = 0) {
        const Taps depth = pool_.taps(slab, 0, d);
        for (; h < plane_rows && left > 0; ++h, --left) {
          const Row row = {slab, depth, pool_.taps(slab, 1, h), out.row(d, h), indices.row(d, h)};
          if constexpr (in_vectors) {
            pool_in_vectors(row, &maxima);
          } else {
            pool_.compute_one_by_one(row, 0, pool_.out.shape[4]);
          }
        }
      }
    }
  }

  // The last step overlaps the one before, where there is one.
  void pool_in_vectors(const Row& row, MaximaOfRow<T>* maxima) const {
    constexpr int64_t kStep = MaximaOfRow<T>::kStep;
    const int64_t width = pool_.out.shape[4];
    maxima->look_into(row.depth, row.height);
    for (int64_t w = 0; w < width; w += kStep) {
      const int64_t first = width < kStep ? 0 : std::min(w, width - kStep);
      const int64_t count = std::min(kStep, width);
      if (!maxima->compute(first, count)) {
        pool_.compute_one_by_one(row, first, first + count);
        continue;
      }
      put<T>(maxima->elements, first, count, row.out, pool_.out.strides[4]);
      put<Index>(maxima->places, first, count, row.indices, pool_.indices.strides[4]);
    }
    if (sizeof(T) == 2 && maxima->saw_nan()) pool_.compute_one_by_one(row, 0, width);
  }

  template <typename To, typename From>
  static void put(const From* from, int64_t first, int64_t count, char* row, int64_t stride) {
    constexpr int64_t kStep = MaximaOfRow<T>::kStep, kItem = sizeof(To);
    char* const to = row + first * stride;
    if (stride != kItem || count != kStep) {
      for (int64_t i = 0; i < count; ++i) store(to + i * stride, static_cast<To>(from[i]));
    } else if constexpr (std::is_same_v<To, From>) {
      std::memcpy(to, from, kStep * kItem);
    } else {
      for (int64_t i = 0; i < kStep; ++i) store(to + i * kItem, static_cast<To>(from[i]));
    }
  }

  const PoolTensors<T, Index>& pool_;
};

template <typename T, typename Index>
Status pool_typed(const MaxPool& pool) {
  const PoolTensors<T, Index> tensors(pool);
  if (tensors.empty()) return {};
  const PoolInBlocks<T, Index> blocks(tensors);
  blocks.pays() ? blocks.compute() : PoolByRows<T, Index>(tensors).compute();
  return {};
}

}  // namespace

Status max_pool(const MaxPool& pool) {
  return visit_single(pool.self, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return pool.indices.dtype == ACL_INT64 ? pool_typed<T, int64_t>(pool)
                                           : pool_typed<T, int32_t>(pool);
  });
}

Status run(const MaxPool3dWithArgmaxArgs& args) {
  return max_pool({args.self, args.out, args.indices,
                   Window(args.kernelSize, args.stride, args.padding, args.dilation, args.ceilMode),
                   args.self.format == ACL_FORMAT_NDHWC});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
