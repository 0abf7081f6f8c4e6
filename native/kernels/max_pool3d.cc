// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_pool3d.h"

#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "kernels/elementwise.h"
#include "kernels/max_pool3d_packed.h"
#include "kernels/max_pool3d_rows.h"
#include "kernels/max_pool3d_sliding.h"
#include "kernels/volume.h"
#include "opbase/geometry.h"
#include "ops/max_pool3d_with_argmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Stands for MaximaOfRow where that is not possible.
struct NoVectors {
  NoVectors(const Slab&, const Window&) {}
};

template <typename T, typename Index>
class Pool {
 public:
  Pool(const MaxPool3dWithArgmaxArgs& args, bool channels_last)
      : window_(args.kernelSize, args.stride, args.padding, args.dilation, args.ceilMode),
        self_(volumes_of(args.self, sizeof(T), channels_last)),
        out_(volumes_of(args.out, sizeof(T), channels_last)),
        indices_(volumes_of(args.indices, sizeof(Index), channels_last)) {}

  bool empty() const { return self_.empty() || out_.empty(); }

  void compute() const {
    const bool overlap =
        window_.kernel[0] > window_.stride[0] || window_.kernel[1] > window_.stride[1];
    const Plan plan = make_plan();
    const bool in_blocks = plan.packed || (overlap && plan.memory <= kMostMemory);
    in_blocks ? by_blocks(plan) : by_rows();
  }

 private:
  using Maxima = SlidingMaxima<T>;
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

  // Windows that share elements are computed in blocks of rows and columns whose maxima stay in the
  // cache, and these in parts of their depth where slabs are few. Small planes of narrow rows are
  // blocks whatever their windows share.
  Plan make_plan() const {
    const int64_t planes = out_.shape[2], rows = out_.shape[3], columns = out_.shape[4];
    const int64_t packed = PackedMaxima<T>::memory(self_.slab(0), window_, rows, columns);
    Plan plan = {std::min(columns, Maxima::kMostColumns), rows, planes, packed};
    plan.packed = packed <= kUsualMemory;
    const auto memory = [&] {
      return Maxima::memory(self_.slab(0), window_, plan.rows, plan.columns);
    };
    while (!plan.packed && (plan.memory = memory()) > kUsualMemory && plan.rows > 1) {
      plan.rows = (plan.rows + 1) / 2;
    }
    plan.blocks = out_.slabs() * pieces(rows, plan.rows) * pieces(columns, plan.columns);
    const int64_t wanted = pieces(4 * thread_count(), plan.blocks);
    plan.planes =
        std::max(pieces(planes, wanted), std::min(planes, 2 * std::min(planes, window_.kernel[0])));
    return plan;
  }

  void by_blocks(const Plan& plan) const {
    // A tap along an axis costs about as much as an element of a plain loop.
    int64_t cost = plan.planes * plan.rows * plan.columns;
    for (int64_t taps : window_.kernel) cost *= std::min<int64_t>(taps, 8);
    parallel_for(plan.blocks * pieces(out_.shape[2], plan.planes),
                 std::max<int64_t>(kParallelElements / cost, 1),
                 [&](int64_t begin, int64_t end) { compute_blocks(plan, begin, end); });
  }

  void compute_blocks(const Plan& plan, int64_t begin, int64_t end) const {
    alignas(kLine) char stack[kStackMemory];
    std::unique_ptr<char[]> heap;
    char* memory = stack;
    if (plan.memory > kStackMemory) {
      if (plan.memory <= kMostMemory) heap.reset(new (std::nothrow) char[plan.memory + kLine]);
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
      block.columns = piece(out_.shape[4], plan.columns, &block.column);
      block.rows = piece(out_.shape[3], plan.rows, &block.row);
      const int64_t planes = piece(out_.shape[2], plan.planes, &first);
      if (plan.packed && memory) {
        compute_packed(left, block, first, first + planes, memory);
      } else {
        compute_block(left, block, first, first + planes, memory);
      }
    }
  }

  // Where a row of the result is, and its slab of the input.
  struct Row {
    const Slab& slab;
    Taps depth, height;
    char* out;
    char* indices;
  };

  void compute_block(int64_t number, const PoolBlock& block, int64_t first, int64_t last,
                     char* memory) const {
    const Slab slab = self_.slab(number);
    if (!memory) {
      for_each_row(number, slab, block, first, last, [&](const Row& row, int64_t) {
        pool_one_by_one(row, block.column, block.column + block.columns);
      });
      return;
    }
    Maxima maxima(window_, slab, block, memory);
    T staged_elements[Maxima::kMostColumns];
    int32_t staged_places[Maxima::kMostColumns];
    Taps seen = {-1, 0, 0};
    for_each_row(number, slab, block, first, last, [&](const Row& row, int64_t number_in_block) {
      if (row.depth.count == 0 || row.height.count == 0) {
        pool_one_by_one(row, block.column, block.column + block.columns);
        return;
      }
      if (row.depth.first != seen.first || row.depth.count != seen.count) {
        maxima.look_at(seen = row.depth);
      }
      char* const out = row.out + block.column * out_.strides[4];
      char* const indices = row.indices + block.column * indices_.strides[4];
      T* const elements = in_place<T>(out, out_.strides[4], block.columns, staged_elements);
      int32_t* const places =
          in_place<Index>(indices, indices_.strides[4], block.columns, staged_places);
      const bool doubtful = maxima.compute_row(number_in_block, row.height, elements, places);
      put_row<T>(elements, block.columns, out, out_.strides[4]);
      put_row<Index>(places, block.columns, indices, indices_.strides[4]);
      if (doubtful) pool_doubtful(row, block, false);
    });
  }

  // Likewise, for a block that is a whole plane.
  void compute_packed(int64_t number, const PoolBlock& block, int64_t first, int64_t last,
                      char* memory) const {
    const Slab slab = self_.slab(number), out = out_.slab(number), indices = indices_.slab(number);
    PackedMaxima<T> maxima(window_, slab, block.rows, block.columns, memory);
    for (int64_t d = first; d < last; ++d) {
      const Taps depth = taps(slab, 0, d);
      const bool empty = depth.count == 0;
      const bool doubtful = empty || maxima.compute(depth);
      if (!empty) {
        put_plane<T>(maxima.elements(), out, d);
        put_plane<Index>(maxima.places(), indices, d);
      }
      if (!doubtful) continue;
      for_each_row(number, slab, block, d, d + 1, [&](const Row& row, int64_t) {
        if (empty) return pool_one_by_one(row, 0, block.columns);
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

  template <typename Visit>
  void for_each_row(int64_t number, const Slab& slab, const PoolBlock& block, int64_t first,
                    int64_t last, const Visit& visit) const {
    const Slab out = out_.slab(number), indices = indices_.slab(number);
    for (int64_t d = first; d < last; ++d) {
      const Taps depth = taps(slab, 0, d);
      for (int64_t i = 0; i < block.rows; ++i) {
        const int64_t h = block.row + i;
        visit(Row{slab, depth, taps(slab, 1, h), out.row(d, h), indices.row(d, h)}, i);
      }
    }
  }

  void by_rows() const {
    const int64_t rows = out_.slabs() * out_.shape[2] * out_.shape[3];
    // A tap costs about as much as an element of a plain loop.
    int64_t cost = out_.shape[4];
    for (int64_t taps : window_.kernel) cost *= std::min<int64_t>(taps, 64);
    const int64_t grain = std::max<int64_t>(kParallelElements / cost, 1);
    const bool in_vectors = MaximaOfRow<T>::possible(self_.slab(0), window_);
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      in_vectors ? compute_rows<true>(begin, end) : compute_rows<false>(begin, end);
    });
  }

  // Rows are numbered through all slabs and computed independently.
  template <bool in_vectors>
  void compute_rows(int64_t begin, int64_t end) const {
    const int64_t planes = out_.shape[2], plane_rows = out_.shape[3];
    int64_t h = begin % plane_rows, d = begin / plane_rows % planes;
    int64_t number = begin / plane_rows / planes;
    for (int64_t left = end - begin; left > 0; ++number, d = 0) {
      const Slab slab = self_.slab(number), out = out_.slab(number);
      const Slab indices = indices_.slab(number);
      std::conditional_t<in_vectors, MaximaOfRow<T>, NoVectors> maxima(slab, window_);
      for (; d < planes && left > 0; ++d, h = 0) {
        const Taps depth = taps(slab, 0, d);
        for (; h < plane_rows && left > 0; ++h, --left) {
          const Row row = {slab, depth, taps(slab, 1, h), out.row(d, h), indices.row(d, h)};
          if constexpr (in_vectors) {
            pool_in_vectors(row, &maxima);
          } else {
            pool_one_by_one(row, 0, out_.shape[4]);
          }
        }
      }
    }
  }

  Taps taps(const Slab& slab, int axis, int64_t position) const {
    return taps_inside(position * window_.stride[axis] - window_.padding[axis],
                       window_.kernel[axis], window_.dilation[axis], slab.shape[axis]);
  }

  void pool_one_by_one(const Row& row, int64_t begin, int64_t end) const {
    for (int64_t w = begin; w < end; ++w) {
      const Maximum<T> best =
          window_maximum<T>(row.slab, row.depth, row.height, taps(row.slab, 2, w));
      store(row.out + w * out_.strides[4], best.element);
      store(row.indices + w * indices_.strides[4], static_cast<Index>(best.index));
    }
  }

  // Those of a row that PoolKeys cannot tell, also from padding above and below if that was seen.
  void pool_doubtful(const Row& row, const PoolBlock& block, bool saw_rows_of_padding) const {
    for (int64_t w = block.column; w < block.column + block.columns; ++w) {
      const auto value = widen(load<T>(row.out + w * out_.strides[4]));
      const int64_t first = w * window_.stride[2] - window_.padding[2];
      const int64_t last = first + (window_.kernel[2] - 1) * window_.dilation[2];
      const bool sees_padding = saw_rows_of_padding || first < 0 || last >= row.slab.shape[2];
      if (std::abs(value) > 0 && (std::isfinite(value) || (std::isinf(value) && !sees_padding))) {
        continue;
      }
      pool_one_by_one(row, w, w + 1);
    }
  }

  // The last step overlaps the one before, where there is one.
  void pool_in_vectors(const Row& row, MaximaOfRow<T>* maxima) const {
    constexpr int64_t kStep = MaximaOfRow<T>::kStep;
    const int64_t width = out_.shape[4];
    maxima->look_into(row.depth, row.height);
    for (int64_t w = 0; w < width; w += kStep) {
      const int64_t first = width < kStep ? 0 : std::min(w, width - kStep);
      const int64_t count = std::min(kStep, width);
      if (!maxima->compute(first, count)) {
        pool_one_by_one(row, first, first + count);
        continue;
      }
      put<T>(maxima->elements, first, count, row.out, out_.strides[4]);
      put<Index>(maxima->places, first, count, row.indices, indices_.strides[4]);
    }
    if (sizeof(T) == 2 && maxima->saw_nan()) pool_one_by_one(row, 0, width);
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

  const Window window_;
  const Volumes self_, out_, indices_;
};

template <typename T, typename Index>
Status pool(const MaxPool3dWithArgmaxArgs& args) {
  const Pool<T, Index> pool(args, args.self.format == ACL_FORMAT_NDHWC);
  if (!pool.empty()) pool.compute();
  return {};
}

}  // namespace

Status run(const MaxPool3dWithArgmaxArgs& args) {
  return visit_floating(args.self, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double>)
      return no_kernel_for(args.self);
    else
      return args.indices.dtype == ACL_INT64 ? pool<T, int64_t>(args) : pool<T, int32_t>(args);
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
