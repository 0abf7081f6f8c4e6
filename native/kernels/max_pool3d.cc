// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_pool3d.h"

#include <limits>

#include "kernels/elementwise.h"
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

// One row of the result. Rows are numbered through all slabs and computed independently.
template <typename T, typename Index>
void pool_row(const Volumes& self, const Window& window, const Volumes& out, const Volumes& indices,
              int64_t number) {
  const int64_t height = number % out.shape[3];
  const int64_t depth = number / out.shape[3] % out.shape[2];
  const int64_t slab_number = number / out.shape[3] / out.shape[2];
  const Slab slab = self.slab(slab_number);
  const auto taps = [&](int axis, int64_t position) {
    return taps_inside(position * window.stride[axis] - window.padding[axis], window.kernel[axis],
                       window.dilation[axis], slab.shape[axis]);
  };
  const Taps depth_taps = taps(0, depth), height_taps = taps(1, height);
  char* out_row = out.slab(slab_number).row(depth, height);
  char* index_row = indices.slab(slab_number).row(depth, height);
  for (int64_t w = 0; w < out.shape[4]; ++w) {
    const Maximum<T> best = window_maximum<T>(slab, depth_taps, height_taps, taps(2, w));
    store(out_row + w * out.strides[4], best.element);
    store(index_row + w * indices.strides[4], static_cast<Index>(best.index));
  }
}

template <typename T, typename Index>
Status pool(const MaxPool3dWithArgmaxArgs& args) {
  const bool channels_last = args.self.format == ACL_FORMAT_NDHWC;
  const Window window(args.kernelSize, args.stride, args.padding, args.dilation, args.ceilMode);
  const Volumes self = volumes_of(args.self, sizeof(T), channels_last);
  const Volumes out = volumes_of(args.out, sizeof(T), channels_last);
  const Volumes indices = volumes_of(args.indices, sizeof(Index), channels_last);
  if (self.empty() || out.empty()) return {};
  const int64_t rows = out.slabs() * out.shape[2] * out.shape[3];
  // A window costs about as much as eight elements of a plain loop.
  const int64_t grain = std::max<int64_t>(kParallelElements / 8 / out.shape[4], 1);
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      pool_row<T, Index>(self, window, out, indices, row);
    }
  });
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
