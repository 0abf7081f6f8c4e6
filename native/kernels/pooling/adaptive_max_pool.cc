// SPDX-License-Identifier: Apache-2.0
// Adaptive max pools. Windows of one size are sliding ones, with their fast kernels; others are
// computed for several channels together, or by the definition where there are few.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "engines/elementwise.h"
#include "engines/window_axis.h"
#include "kernels/pooling/adaptive_max_lanes.h"
#include "kernels/pooling/max_pool.h"
#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/staged_result.h"
#include "ops/adaptive_max_pool2d.h"
#include "ops/adaptive_max_pool2d_backward.h"
#include "ops/adaptive_max_pool3d.h"
#include "ops/adaptive_max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct AdaptiveWindows {
  WindowAxis axes[3];
  bool even = true;  // all of one size, side by side

  AdaptiveWindows(const Volumes& input, const Volumes& pooled) {
    for (int axis = 0; axis < 3; ++axis) {
      axes[axis].input = input.shape[2 + axis];
      axes[axis].pooled = pooled.shape[2 + axis];
      axes[axis].adaptive = true;
      even = even && axes[axis].input % axes[axis].pooled == 0;
    }
  }

  // Sliding windows that hold these; exactly these if they are even.
  Window sliding() const {
    Window window({}, {}, {}, {}, false, 0);
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t stride = std::max<int64_t>(axes[axis].input / axes[axis].pooled, 1);
      const int64_t last = (axes[axis].pooled - 1) * stride;
      window.stride[axis] = stride;
      window.kernel[axis] = std::max<int64_t>(axes[axis].input - last, 1);
    }
    return window;
  }

  Taps taps(int axis, int64_t position) const {
    const Range range = axes[axis].positions(position);
    return {range.begin, 1, range.size()};
  }
};

template <typename T, typename Index>
class PoolByDefinition {
 public:
  PoolByDefinition(const Volumes& self, const Volumes& out, const Volumes& indices)
      : self_(self), out_(out), indices_(indices), windows_(self, out) {}

  void compute() const {
    const int64_t planes = out_.shape[2] * out_.shape[3];
    const int64_t row = std::max<int64_t>(self_.slab(0).elements() / planes, 1);
    parallel_for(out_.slabs() * planes, std::max<int64_t>(kParallelElements / 4 / row, 1),
                 [&](int64_t begin, int64_t end) { compute_rows(begin, end); });
  }

 private:
  static constexpr int64_t kColumns = 64;  // of which the windows are worked out once

  void compute_rows(int64_t begin, int64_t end) const {
    Taps widths[kColumns];
    for (int64_t first = 0; first < out_.shape[4]; first += kColumns) {
      const int64_t count = std::min(kColumns, out_.shape[4] - first);
      for (int64_t i = 0; i < count; ++i) widths[i] = windows_.taps(2, first + i);
      for (int64_t row = begin; row < end; ++row) compute_columns(row, first, widths, count);
    }
  }

  void compute_columns(int64_t row, int64_t first, const Taps* widths, int64_t count) const {
    const int64_t h = row % out_.shape[3], plane = row / out_.shape[3];
    const int64_t d = plane % out_.shape[2], slab = plane / out_.shape[2];
    const Taps depth = windows_.taps(0, d), height = windows_.taps(1, h);
    const Slab source = self_.slab(slab);
    char* const values = out_.slab(slab).row(d, h) + first * out_.strides[4];
    char* const places = indices_.slab(slab).row(d, h) + first * indices_.strides[4];
    for (int64_t i = 0; i < count; ++i) {
      const Maximum<T> best = window_maximum<T>(source, depth, height, widths[i]);
      store(values + i * out_.strides[4], best.element);
      store(places + i * indices_.strides[4], static_cast<Index>(best.index));
    }
  }

  const Volumes &self_, &out_, &indices_;
  const AdaptiveWindows windows_;
};

// The largest of n numbers, in lanes that do not wait for each other; NaN where there is one.
template <typename T>
T largest_of(const char* values, int64_t n) {
  constexpr int kLanes = 32;
  constexpr int64_t kItem = sizeof(T);
  T lanes[kLanes], odd[kLanes] = {};
  std::fill_n(lanes, kLanes, -std::numeric_limits<T>::infinity());
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const T value = load<T>(values + (i + k) * kItem);
      lanes[k] = value > lanes[k] ? value : lanes[k];
      odd[k] = value == value ? odd[k] : value;
    }
  }
  for (; i < n; ++i) {
    const T value = load<T>(values + i * kItem);
    lanes[0] = value > lanes[0] ? value : lanes[0];
    odd[0] = value == value ? odd[0] : value;
  }
  for (int k = 1; k < kLanes; ++k) lanes[0] = std::max(lanes[0], lanes[k]);
  for (int k = 0; k < kLanes; ++k) lanes[0] = odd[k] == odd[k] ? lanes[0] : odd[k];
  return lanes[0];
}

// Of a slab that is an array: its largest number first, then where that is.
template <typename T>
Maximum<T> slab_maximum(const Slab& slab) {
  constexpr int64_t kItem = sizeof(T);
  const T most = largest_of<T>(slab.data, slab.elements());
  if (most != most) {
    return window_maximum<T>(slab, {0, 1, slab.shape[0]}, {0, 1, slab.shape[1]},
                             {0, 1, slab.shape[2]});
  }
  int64_t index = 0;
  while (load<T>(slab.data + index * kItem) != most) ++index;
  return {load<T>(slab.data + index * kItem), index};
}

template <typename T, typename Index>
void pool_whole_slabs(const Volumes& self, const Volumes& out, const Volumes& indices) {
  const int64_t grain = std::max<int64_t>(kParallelElements / self.slab(0).elements(), 1);
  parallel_for(self.slabs(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Maximum<T> best = slab_maximum<T>(self.slab(i));
      store(out.slab(i).data, best.element);
      store(indices.slab(i).data, static_cast<Index>(best.index));
    }
  });
}

template <typename T, typename Index>
void pool_uneven(const Volumes& self, const Volumes& out, const Volumes& indices,
                 const AdaptiveWindows& windows) {
  const AdaptiveMaxInLanes<T, Index> in_lanes(self, out, indices, windows.axes);
  in_lanes.pays() ? in_lanes.compute() : PoolByDefinition<T, Index>(self, out, indices).compute();
}

Status adaptive_max_pool(const MaxPool& pool) {
  return visit_floating(pool.self, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool wide = pool.indices.dtype == ACL_INT64;
    const Volumes self = volumes_of(pool.self, sizeof(T), pool.channels_last);
    const Volumes out = volumes_of(pool.out, sizeof(T));
    const Volumes indices = volumes_of(pool.indices, wide ? 8 : 4);
    if (self.empty() || out.empty()) return Status{};
    const AdaptiveWindows windows(self, out);
    if constexpr (std::is_floating_point_v<T>) {
      if (out.slab(0).elements() == 1 && self.slab(0).dense(sizeof(T))) {
        wide ? pool_whole_slabs<T, int64_t>(self, out, indices)
             : pool_whole_slabs<T, int32_t>(self, out, indices);
        return Status{};
      }
    }
    if (windows.even && !std::is_same_v<T, double> && !pool.channels_last) {
      MaxPool sliding = pool;
      sliding.window = windows.sliding();
      return max_pool(sliding);
    }
    wide ? pool_uneven<T, int64_t>(self, out, indices, windows)
         : pool_uneven<T, int32_t>(self, out, indices, windows);
    return Status{};
  });
}

const Window kAnyWindow({}, {}, {}, {}, false, 0);

Status adaptive_max_pool_gradient(const char* op, const TensorView& named,
                                  const TensorView& gradients, const TensorView& indices,
                                  const TensorView& result) {
  const Volumes input = volumes_of(result, 1), pooled = volumes_of(gradients, 1);
  if (input.empty() || pooled.empty()) return {};
  const AdaptiveWindows windows(input, pooled);
  return max_pool_gradient(
      {op, named, gradients, indices, result, windows.sliding(), false, !windows.even});
}

// The results are N, C, H, W even where the label of self says that channels come last.
Shape pooled_image(const AdaptiveMaxPool2dArgs& args, bool channels_last) {
  Shape shape = shape_of(args.self);
  if (channels_last) shape.dims[1] = args.self.shape[3];
  shape.dims[shape.rank - 2] = args.outputSize.at(0);
  shape.dims[shape.rank - 1] = args.outputSize.at(1);
  return shape;
}

}  // namespace

Status run(const AdaptiveMaxPool2dArgs& args) {
  const bool channels_last = args.self.rank == 4 && args.self.format == ACL_FORMAT_NHWC;
  const Shape shape = pooled_image(args, channels_last);
  StagedResult out(args.outputOut, shape, args.self.dtype);
  StagedResult indices(args.indicesOut, shape, args.indicesOut.dtype);
  Status status = out.prepare();
  if (status.ok()) status = indices.prepare();
  if (status.ok()) {
    status = adaptive_max_pool({with_depth(args.self, channels_last), with_depth(out.view()),
                                with_depth(indices.view()), kAnyWindow, channels_last});
  }
  if (status.ok()) status = out.deliver();
  return status.ok() ? indices.deliver() : status;
}

Status run(const AdaptiveMaxPool3dArgs& args) {
  return adaptive_max_pool({args.self, args.outputOut, args.indicesOut, kAnyWindow});
}

Status run(const AdaptiveMaxPool2dBackwardArgs& args) {
  return adaptive_max_pool_gradient(args.kOperator, args.indices, with_depth(args.gradOutput),
                                    with_depth(args.indices), with_depth(args.gradInput));
}

Status run(const AdaptiveMaxPool3dBackwardArgs& args) {
  return adaptive_max_pool_gradient(args.kOperator, args.indices, args.gradOutput, args.indices,
                                    args.gradInput);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
