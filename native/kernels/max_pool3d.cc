// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_pool3d.h"

#include <limits>

#include "kernels/elementwise.h"
#include "kernels/max_pool3d_rows.h"
#include "kernels/volume.h"
#include "opbase/geometry.h"
#include "ops/max_pool3d_with_argmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename T>
struct Maximum {
  T element;
  int64_t index;
};

template <typename T>
Maximum<T> window_maximum(const Slab& slab, const Taps& depth, const Taps& height,
                          const Taps& width) {
  using Real = ComputeType<T>;
  Real maximum = -std::numeric_limits<Real>::infinity();
  Maximum<T> best = {Narrow<T>::from(maximum), 0};
  // With dilation a window can step over a short input. It gets minus infinity and index 0, which
  // the backward can use.
  if (depth.count == 0 || height.count == 0 || width.count == 0) return best;
  best.index = depth.first * slab.plane() + height.first * slab.shape[2] + width.first;
  for (int64_t i = 0; i < depth.count; ++i) {
    const int64_t d = depth.first + i * depth.step;
    for (int64_t j = 0; j < height.count; ++j) {
      const int64_t h = height.first + j * height.step;
      const char* row = slab.row(d, h);
      for (int64_t k = 0; k < width.count; ++k) {
        const int64_t w = width.first + k * width.step;
        const T element = load<T>(row + w * slab.strides[2]);
        const Real value = widen(element);
        if (!replaces_maximum(value, maximum)) continue;
        maximum = value;
        best = {element, d * slab.plane() + h * slab.shape[2] + w};
      }
    }
  }
  return best;
}

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

 private:
  // Where a row of the result is, and its slab of the input.
  struct Row {
    const Slab& slab;
    Taps depth, height;
    char* out;
    char* indices;
  };

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
    return args.indices.dtype == ACL_INT64 ? pool<T, int64_t>(args) : pool<T, int32_t>(args);
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
