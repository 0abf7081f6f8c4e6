// SPDX-License-Identifier: Apache-2.0
#include "kernels/pooling/max_pool3d_backward.h"

#include <algorithm>

#include "kernels/pooling/max_pool.h"
#include "kernels/pooling/max_pool3d_overlapping.h"
#include "kernels/pooling/max_pool3d_pairs.h"
#include "kernels/pooling/max_pool3d_scatter.h"
#include "operator/index_error.h"
#include "ops/max_pool3d_with_argmax_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Whole slabs, with any indices, if they are wanted.
template <typename T, typename Index, typename Wanted>
void scatter(const PoolGradient& work, const Wanted& wanted, FirstBadIndex* bad) {
  const int64_t positions = work.gradients.slab(0).elements();
  const int64_t grain = std::max<int64_t>(kParallelElements / work.result.slab(0).elements(), 1);
  parallel_for(work.result.slabs(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t slab = begin; slab < end; ++slab) {
      if (!wanted(slab)) continue;
      const SlabGradient<T, Index> gradient(work.gradients.slab(slab), work.indices.slab(slab),
                                            work.result.slab(slab), work.window);
      if (gradient.compute()) continue;
      BadIndex here;
      here.position = slab * positions + gradient.first_bad_position(&here.value);
      bad->add(here);
    }
  });
}

// A method that relies on indices inside their windows; slabs where they are not are done again.
template <typename Method, typename T, typename Index>
void compute(const PoolGradient& work, FirstBadIndex* bad) {
  SlabFlags outside;
  const Method method(work, &outside);
  const int64_t grain = std::max<int64_t>(kParallelElements / method.elements_of_unit(), 1);
  parallel_for(method.units(), grain,
               [&](int64_t begin, int64_t end) { method.compute(begin, end); });
  if (!outside.any()) return;
  scatter<T, Index>(work, [&](int64_t slab) { return outside.get(slab); }, bad);
}

// Windows that span the same elements of the input, in numbers that nothing overflows with. Their
// elements may be others where the dilation is large: an index that is none of them is added by
// itself. Where there is a single window, no step leads to another.
Window reduced(Window window, const Volumes& pooled, const Volumes& input) {
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t length = input.shape[2 + axis], most = length + window.padding[axis];
    int64_t &kernel = window.kernel[axis], &dilation = window.dilation[axis];
    kernel = std::min(kernel, most);
    if (kernel > 1 && dilation > 1) dilation = std::min(dilation, most / (kernel - 1) + 1);
    if (pooled.shape[2 + axis] == 1) window.stride[axis] = std::min(window.stride[axis], length);
  }
  return window;
}

template <typename T, typename Index>
Status backward(const MaxPoolGradient& gradient) {
  const bool channels_last = gradient.channels_last;
  PoolGradient work = {volumes_of(gradient.gradients, sizeof(T), channels_last),
                       volumes_of(gradient.indices, sizeof(Index), channels_last),
                       volumes_of(gradient.result, sizeof(T), channels_last), gradient.window,
                       false};
  if (work.gradients.empty() || work.result.empty()) return {};
  work.window = reduced(work.window, work.gradients, work.result);
  const int64_t positions = work.gradients.slab(0).elements();
  const int64_t limit = work.result.slab(0).elements();
  // The sums take their part of the cache, and nobody reads the result here: it goes past the cache
  // earlier than elsewhere.
  const int64_t most = cache_bytes() / 2 / work.result.slabs();
  constexpr int64_t kPosition = sizeof(T) + sizeof(Index);
  work.past_cache = limit * int64_t{sizeof(T)} + positions * kPosition > most;
  FirstBadIndex bad;
  if (gradient.any_windows) {
    scatter<T, Index>(work, [](int64_t) { return true; }, &bad);
  } else if (PairedWindows<T, Index>::possible(work)) {
    compute<PairedWindows<T, Index>, T, Index>(work, &bad);
  } else if (OverlappingWindows<T, Index>::possible(work)) {
    compute<OverlappingWindows<T, Index>, T, Index>(work, &bad);
  } else {
    scatter<T, Index>(work, [](int64_t) { return true; }, &bad);
  }
  if (bad.get().position < 0) return {};
  return index_out_of_range(gradient.op, gradient.named, bad.get().position, bad.get().value,
                            limit);
}

}  // namespace

Status max_pool_gradient(const MaxPoolGradient& gradient) {
  return visit_single(gradient.result, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return gradient.indices.dtype == ACL_INT64 ? backward<T, int64_t>(gradient)
                                               : backward<T, int32_t>(gradient);
  });
}

// A channels-last label is no more than a label here: upstream reads N, C, D, H, W regardless.
Status run(const MaxPool3dWithArgmaxBackwardArgs& args) {
  return max_pool_gradient(
      {args.kOperator, args.indices, args.gradOutput, args.indices, args.gradInput,
       Window(args.kernelSize, args.stride, args.padding, args.dilation, args.ceilMode)});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
