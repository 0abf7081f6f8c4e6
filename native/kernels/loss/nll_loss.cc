// SPDX-License-Identifier: Apache-2.0
// The negative log likelihood of a target class at each position, weighted by class.
#include "ops/nll_loss.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/dense.h"
#include "engines/loop_nest.h"
#include "engines/runs.h"
#include "engines/sums.h"
#include "kernels/creation/fill.h"
#include "kernels/loss/targets.h"
#include "ops/nll_loss2d.h"
#include "ops/nll_loss2d_backward.h"
#include "ops/nll_loss_backward.h"
#include "simd/convert.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kPart = 4096;
constexpr int64_t kGrain = 4;   // parts; less is not worth a second thread
constexpr int64_t kAhead = 32;  // positions whose classes are on their way
constexpr int64_t kFar = 128;   // bytes; what is closer the processor fetches itself
constexpr int64_t kNone = 0, kMean = 1;

// As upstream does it on Atlas A2: only BF16 is rounded to before the cast to an output.
aclDataType rounded_type(const TensorView& self) {
  return self.dtype == ACL_BF16 ? ACL_BF16 : ACL_FLOAT;
}

// A tensor with a dimension of classes: positions are those of the others, in row-major order.
struct Positions {
  explicit Positions(const TensorView& view)
      : item_size(data_type_bits(view.dtype) / 8), nest(nest_of(view)) {
    const int axis = view.rank == 1 ? 0 : 1;
    classes = view.shape[axis];
    class_stride = view.strides[axis] * item_size;
  }

  static LoopNest nest_of(const TensorView& view) {
    TensorView first = view;
    const int axis = view.rank == 1 ? 0 : 1;
    std::copy(view.shape + axis + 1, view.shape + view.rank, first.shape + axis);
    std::copy(view.strides + axis + 1, view.strides + view.rank, first.strides + axis);
    --first.rank;
    const TensorView order = row_major_view(shape_of(first), view.dtype);
    const TensorView* const views[] = {&order, &first};
    return make_nest(views, 2, 1);
  }

  // Calls visit(position, address of class 0, stride, count) for runs that cover [begin, end).
  template <typename Visit>
  void for_each(int64_t begin, int64_t end, const Visit& visit) const {
    Block block(nest, begin);
    block.count = end - begin;
    const int64_t stride = nest.operand[1].strides[0];
    for_each_run(nest, nest.operand[1], block, [&](char* address, int64_t count) {
      visit(begin, address, stride, count);
      begin += count;
    });
  }

  int64_t item_size;
  LoopNest nest;
  int64_t classes;
  int64_t class_stride;  // bytes
};

// Where positions that lie at equal distances have the values of their classes.
struct ClassPlaces {
  // A number: a class may not exist.
  uintptr_t operator()(int64_t i) const {
    return reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(i * stride) +
           static_cast<uintptr_t>(classes[i]) * class_stride;
  }
  void fetch(int64_t i) const { __builtin_prefetch(reinterpret_cast<const void*>((*this)(i))); }
  bool are_far() const { return stride > kFar || stride < -kFar; }

  const char* address;
  int64_t stride, class_stride;
  const int64_t* classes;
};

// Of positions that all count: nothing but loads and products.
template <typename T>
void losses_of_all(const ClassPlaces places, const float* class_weights, int64_t count,
                   float* losses, float* weights) {
  const int64_t fetched = places.are_far() ? count - kAhead : 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i < fetched) places.fetch(i + kAhead);
    const float weight = class_weights != nullptr ? class_weights[places.classes[i]] : 1.0f;
    weights[i] = weight;
    losses[i] = -widen(load<T>(reinterpret_cast<const char*>(places(i)))) * weight;
  }
}

template <typename T>
void losses_of(const Positions& self, const Targets& targets, int64_t begin, int64_t end,
               float* losses, float* weights, FirstBadIndex& bad) {
  const Targets::View own = targets.view();
  self.for_each(begin, end, [&](int64_t first, const char* address, int64_t stride, int64_t count) {
    const ClassPlaces places = {address, stride, self.class_stride, own.classes + first};
    float *const to = losses + (first - begin), *const weights_to = weights + (first - begin);
    int64_t others = 0;
    for (int64_t i = 0; i < count; ++i) others += own.counts(first + i) ? 0 : 1;
    if (others == 0) return losses_of_all<T>(places, own.weights, count, to, weights_to);
    for (int64_t i = 0; i < count; ++i) {
      weights_to[i] = to[i] = 0;
      if (!targets.counts(first + i, bad)) continue;
      weights_to[i] = own.weight(first + i);
      to[i] = -widen(load<T>(reinterpret_cast<const char*>(places(i)))) * weights_to[i];
    }
  });
}

using LossesOf = void (*)(const Positions&, const Targets&, int64_t, int64_t, float*, float*,
                          FirstBadIndex&);

LossesOf losses_for(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return losses_of<Half>;
  return dtype == ACL_BF16 ? losses_of<BFloat16> : losses_of<float>;
}

template <typename Args>
Status each_loss(const Args& args, const Positions& self, const Targets& targets,
                 FirstBadIndex& bad) {
  const int64_t total = self.nest.total;
  const std::unique_ptr<float[]> losses(new (std::nothrow) float[total]);
  if (losses == nullptr) return no_memory_for_copy();
  const LossesOf compute = losses_for(args.self.dtype);
  parallel_for(total, kPart * kGrain, [&](int64_t begin, int64_t end) {
    alignas(64) float weights[kPart];
    for (; begin < end; begin += kPart) {
      const int64_t last = std::min(begin + kPart, end);
      compute(self, targets, begin, last, losses.get() + begin, weights, bad);
    }
  });
  Status status = deliver(losses.get(), ACL_FLOAT, rounded_type(args.self), args.out);
  return status.ok() ? deliver_one(0, ACL_FLOAT, args.totalWeightOut) : status;
}

template <typename Args>
Status reduced_loss(const Args& args, const Positions& self, const Targets& targets,
                    FirstBadIndex& bad) {
  const int64_t parts = (self.nest.total + kPart - 1) / kPart;
  const std::unique_ptr<double[]> sums(new (std::nothrow) double[2 * parts + 2]());
  if (sums == nullptr) return no_memory_for_copy();
  double* const weight_sums = sums.get() + parts + 1;
  const LossesOf compute = losses_for(args.self.dtype);
  parallel_for(parts, kGrain, [&](int64_t first, int64_t last) {
    alignas(64) float losses[kPart], weights[kPart];
    for (int64_t part = first; part < last; ++part) {
      const int64_t begin = part * kPart, end = std::min(begin + kPart, self.nest.total);
      compute(self, targets, begin, end, losses, weights, bad);
      sums[part] = sum_of(losses, end - begin);
      weight_sums[part] = sum_of(weights, end - begin);
    }
  });
  const double total = join(sums.get(), parts), weight = join(weight_sums, parts);
  const double loss = args.reduction == kMean ? total / weight : total;
  const aclDataType rounded = rounded_type(args.self);
  Status status = deliver_one(loss, rounded, args.out);
  return status.ok() ? deliver_one(weight, rounded, args.totalWeightOut) : status;
}

template <typename Args>
Status forward(const Args& args) {
  const Positions self(args.self);
  Targets targets;
  Status status = targets.take(args.target, args.weight, self.classes, args.ignoreIndex);
  if (!status.ok()) return status;
  FirstBadIndex bad;
  status = args.reduction == kNone ? each_loss(args, self, targets, bad)
                                   : reduced_loss(args, self, targets, bad);
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(Args::kOperator, "target", args.target, bad.get(), self.classes);
}

// Writes the gradients of positions [begin, end) to their classes.
struct Gradients {
  const Positions& out;
  const Targets& targets;
  const float* gradients;
  int64_t step;  // 0: one for all
  float divisor;
  CastArray round;  // null: nothing is rounded before the cast
  CastArray cast;

  void store(int64_t begin, int64_t end, FirstBadIndex& bad) const {
    alignas(64) float values[kPart];
    alignas(64) char rounded[kPart * sizeof(float)], results[kPart * 16];
    const int64_t count = end - begin;
    find(begin, count, values, bad);
    const char* source = reinterpret_cast<const char*>(values);
    if (round != nullptr) {
      round(source, rounded, count);
      source = rounded;
    }
    cast(source, results, count);
    const Targets::View own = targets.view();
    const int64_t size = out.item_size, class_stride = out.class_stride;
    out.for_each(begin, end, [&](int64_t first, char* address, int64_t stride, int64_t some) {
      const char* const from = results + (first - begin) * size;
      for (int64_t i = 0; i < some; ++i) {
        if (!own.counts(first + i)) continue;
        copy_one(from + i * size, size,
                 address + i * stride + own.classes[first + i] * class_stride);
      }
    });
  }

 private:
  void find(int64_t begin, int64_t count, float* values, FirstBadIndex& bad) const {
    const Targets::View own = targets.view();
    if (step == 0) {
      std::fill_n(values, count, -(gradients[0] / divisor));
    } else {
      for (int64_t i = 0; i < count; ++i) values[i] = -(gradients[begin + i] / divisor);
    }
    for (int64_t i = 0; i < count; ++i) {
      const bool counts = own.counts(begin + i) || targets.counts(begin + i, bad);
      values[i] *= counts ? own.weight(begin + i) : 0;
    }
  }

  // Of common sizes without a call.
  static void copy_one(const char* from, int64_t size, char* to) {
    if (size == 4) {
      std::memcpy(to, from, 4);
    } else if (size == 2) {
      std::memcpy(to, from, 2);
    } else {
      std::memcpy(to, from, size);
    }
  }
};

template <typename Args>
Status backward(const Args& args) {
  const Positions out(args.out);
  Targets targets;
  DenseArray gradients, total;
  Status status = targets.take(args.target, args.weight, out.classes, args.ignoreIndex);
  if (status.ok()) status = gradients.take(args.gradOutput, ACL_FLOAT);
  if (status.ok()) status = total.take(args.totalWeight, ACL_FLOAT);
  if (status.ok()) status = fill_with_zero(args.out);
  if (!status.ok()) return status;
  const aclDataType rounded = rounded_type(args.self);
  const bool each = args.reduction == kNone && args.gradOutput.elements() == out.nest.total;
  const Gradients results = {out,
                             targets,
                             gradients.as<float>(),
                             each ? 1 : 0,
                             args.reduction == kMean ? total.as<float>()[0] : 1.0f,
                             rounded == ACL_FLOAT ? nullptr : find_array_cast(ACL_FLOAT, rounded),
                             find_array_cast(rounded, args.out.dtype)};
  FirstBadIndex bad;
  parallel_for(out.nest.total, kPart * kGrain, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kPart) results.store(begin, std::min(begin + kPart, end), bad);
  });
  if (bad.get().position < 0) return {};
  return class_out_of_range(Args::kOperator, "target", args.target, bad.get(), out.classes);
}

}  // namespace

Status run(const NLLLossArgs& args) { return forward(args); }
Status run(const NLLLoss2dArgs& args) { return forward(args); }
Status run(const NLLLossBackwardArgs& args) { return backward(args); }
Status run(const NLLLoss2dBackwardArgs& args) { return backward(args); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
