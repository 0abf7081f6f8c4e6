// SPDX-License-Identifier: Apache-2.0
// Average pools, sliding and adaptive, with their gradients; and maxima without their positions.
#include "dtypes.h"
#include "engines/window.h"
#include "engines/window_lanes.h"
#include "kernels/pooling/staged_result.h"
#include "kernels/reduction/one_tensor.h"
#include "operator/shapes.h"
#include "ops/adaptive_avg_pool2d.h"
#include "ops/adaptive_avg_pool2d_backward.h"
#include "ops/adaptive_avg_pool3d.h"
#include "ops/adaptive_avg_pool3d_backward.h"
#include "ops/avg_pool2d.h"
#include "ops/avg_pool2d_backward.h"
#include "ops/avg_pool3d.h"
#include "ops/avg_pool3d_backward.h"
#include "ops/max_pool.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename T, typename Join>
Status compute(const WindowWork& work) {
  if (!work.sources.empty() && !work.targets.empty()) Windows<T, Join>(work).compute();
  return {};
}

Status average(const TensorView& view, const WindowWork& work) {
  return visit_floating(view, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (work.sources.empty() || work.targets.empty()) return Status{};
    const MeansInLanes<T> in_lanes(work);
    if (!in_lanes.pays()) return compute<T, WindowMean>(work);
    in_lanes.compute();
    return Status{};
  });
}

Status maximum(const TensorView& view, const WindowWork& work) {
  switch (view.dtype) {
    case ACL_INT8:
      return compute<int8_t, WindowMaximum>(work);
    case ACL_UINT8:
      return compute<uint8_t, WindowMaximum>(work);
    case ACL_INT16:
      return compute<int16_t, WindowMaximum>(work);
    case ACL_UINT16:
      return compute<uint16_t, WindowMaximum>(work);
    case ACL_INT32:
      return compute<int32_t, WindowMaximum>(work);
    case ACL_INT64:
      return compute<int64_t, WindowMaximum>(work);
    default:
      return visit_single(view, [&](auto tag) {
        return compute<typename decltype(tag)::type, WindowMaximum>(work);
      });
  }
}

int64_t item_size(const TensorView& view) { return data_type_bits(view.dtype) / 8; }

WindowWork work_on(const TensorView& sources, const TensorView& targets, bool gradient) {
  WindowWork work;
  work.sources = volumes_of(sources, item_size(sources));
  work.targets = volumes_of(targets, item_size(targets));
  work.gradient = gradient;
  const Volumes& input = gradient ? work.targets : work.sources;
  const Volumes& pooled = gradient ? work.sources : work.targets;
  for (int axis = 0; axis < 3; ++axis) {
    work.axes[axis].input = input.shape[2 + axis];
    work.axes[axis].pooled = pooled.shape[2 + axis];
    work.axes[axis].adaptive = true;
  }
  return work;
}

void slide(const Window& window, WindowWork* work) {
  for (int axis = 0; axis < 3; ++axis) {
    work->axes[axis].adaptive = false;
    work->axes[axis].kernel = window.kernel[axis];
    work->axes[axis].stride = window.stride[axis];
    work->axes[axis].padding = window.padding[axis];
  }
}

struct Mean {
  bool with_padding;
  int64_t divisor;
};

Status sliding_average(const TensorView& sources, const TensorView& targets, bool gradient,
                       const Window& window, const Mean& mean) {
  WindowWork work = work_on(sources, targets, gradient);
  slide(window, &work);
  work.with_padding = mean.with_padding;
  work.divisor = mean.divisor;
  return average(sources, work);
}

constexpr IntArrayView kNoDilation;

Window window_of(const IntArrayView& kernel, const IntArrayView& stride,
                 const IntArrayView& padding, int spatial) {
  return Window(kernel, stride, padding, kNoDilation, false, spatial);
}

// To one value a channel: a mean of all, which has faster ways than windows.
Status adaptive_average(const TensorView& self, const TensorView& out, int spatial) {
  const int channel = self.rank - spatial - 1;
  bool is_one = (channel == 0 || channel == 1) && !self.empty();
  for (int i = 1; i <= spatial; ++i) is_one = is_one && out.shape[out.rank - i] == 1;
  if (is_one) {
    const uint32_t mask = ((1u << spatial) - 1) << (channel + 1);
    return mean_of({self, mask, self.dtype}, out);
  }
  if (spatial == 3) return average(self, work_on(self, out, false));
  return average(self, work_on(with_depth(self), with_depth(out), false));
}

Status adaptive_gradient(const TensorView& gradients, const TensorView& out, int spatial) {
  StagedResult result(out, shape_of(out), gradients.dtype);
  const Status prepared = result.prepare();
  if (!prepared.ok()) return prepared;
  const Status computed =
      spatial == 3
          ? average(gradients, work_on(gradients, result.view(), true))
          : average(gradients, work_on(with_depth(gradients), with_depth(result.view()), true));
  return computed.ok() ? result.deliver() : computed;
}

}  // namespace

Status run(const AvgPool2dArgs& args) {
  return sliding_average(with_depth(args.self), with_depth(args.out), false,
                         window_of(args.kernelSize, args.strides, args.paddings, 2),
                         {args.countIncludePad, args.divisorOverride});
}

Status run(const AvgPool2dBackwardArgs& args) {
  return sliding_average(with_depth(args.gradOutput), with_depth(args.gradInput), true,
                         window_of(args.kernelSize, args.stride, args.padding, 2),
                         {args.countIncludePad, args.divisorOverride});
}

Status run(const AvgPool3dArgs& args) {
  return sliding_average(args.self, args.out, false,
                         window_of(args.kernelSize, args.stride, args.padding, 3),
                         {args.countIncludePad, args.divisorOverride});
}

Status run(const AvgPool3dBackwardArgs& args) {
  return sliding_average(args.gradOutput, args.output, true,
                         window_of(args.kernelSize, args.stride, args.padding, 3),
                         {args.countIncludePad, args.divisorOverride});
}

Status run(const AdaptiveAvgPool2dArgs& args) { return adaptive_average(args.self, args.out, 2); }

Status run(const AdaptiveAvgPool2dBackwardArgs& args) {
  return adaptive_gradient(args.gradOutput, args.out, 2);
}

Status run(const AdaptiveAvgPool3dArgs& args) { return adaptive_average(args.self, args.out, 3); }

Status run(const AdaptiveAvgPool3dBackwardArgs& args) {
  return adaptive_gradient(args.gradOutput, args.out, 3);
}

// Two values are height's and width's padding; of four, the first two are those before the input.
Status run(const MaxPoolArgs& args) {
  WindowWork work = work_on(with_depth(args.self), with_depth(args.out), false);
  const int64_t one = 1;
  const IntArrayView stride = args.strides.size == 0 ? IntArrayView{true, 1, &one} : args.strides;
  slide(window_of(args.kernelShape, stride, args.pads, 2), &work);
  return maximum(args.self, work);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
