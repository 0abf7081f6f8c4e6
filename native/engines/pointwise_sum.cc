// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise_sum.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/inline_vector.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/scalars.h"
#include "engines/sums.h"
#include "operator/no_kernel.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kSumPart = 4096;
constexpr int64_t kGrain = 4 * kSumPart;  // less is not worth a second thread
constexpr int64_t kTotalSize = 8;         // bytes
constexpr int64_t kMostValueSize = 8;

// How values of one type are added.
struct Adder {
  aclDataType total;
  void (*sum)(const char* values, int64_t n, char* total);
  void (*add)(const char* values, int64_t n, char* totals);  // one to each
  void (*join)(char* totals, int64_t n);                     // all to the first
};

template <typename T>
void sum_array(const T* values, int64_t n, double* total) {
  *total = sum_of(values, n);
}
void sum_array(const uint64_t* values, int64_t n, uint64_t* total) {
  *total = 0;
  for (int64_t i = 0; i < n; ++i) *total += values[i];
}

template <typename Value, typename Total>
constexpr Adder make_adder(aclDataType total) {
  return {total,
          [](const char* values, int64_t n, char* sum) {
            sum_array(reinterpret_cast<const Value*>(values), n, reinterpret_cast<Total*>(sum));
          },
          [](const char* values, int64_t n, char* totals) {
            const Value* from = reinterpret_cast<const Value*>(values);
            Total* to = reinterpret_cast<Total*>(totals);
            for (int64_t i = 0; i < n; ++i) to[i] += from[i];
          },
          [](char* totals, int64_t n) { join(reinterpret_cast<Total*>(totals), n); }};
}

const Adder* find_adder(aclDataType values) {
  static constexpr Adder of_floats = make_adder<float, double>(ACL_DOUBLE);
  static constexpr Adder of_doubles = make_adder<double, double>(ACL_DOUBLE);
  static constexpr Adder of_integers = make_adder<uint64_t, uint64_t>(ACL_INT64);
  if (values == ACL_FLOAT) return &of_floats;
  if (values == ACL_DOUBLE) return &of_doubles;
  return values == ACL_INT64 ? &of_integers : nullptr;
}

// Some dimensions of a shape.
struct Axes {
  int count = 0;
  int64_t total = 1;
  int axis[kMaxRank];
  int64_t length[kMaxRank];

  void add(int number, int64_t size) {
    axis[count] = number;
    length[count++] = size;
    total *= size;
  }
};

struct Split {
  Split(const Shape& whole, const TensorView& out) {
    for (int i = 0; i < whole.rank; ++i) {
      const int own = i - (whole.rank - out.rank);
      const bool stays = own >= 0 && out.shape[own] == whole.dims[i];
      (stays ? kept : summed).add(i, whole.dims[i]);
    }
  }

  bool in_parts() const { return summed.total >= kept.total; }
  // Totals of each result.
  int64_t parts() const {
    return in_parts() ? std::max<int64_t>(1, (summed.total + kSumPart - 1) / kSumPart) : 1;
  }

  Axes kept;
  Axes summed;
};

int64_t stride_along(const TensorView& view, int axis, int rank) {
  const int own = axis - (rank - view.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
}

TensorView along(const TensorView& view, const Axes& axes, int rank) {
  TensorView part;
  part.dtype = view.dtype;
  part.data = view.data;
  part.offset = view.offset;
  part.rank = axes.count;
  for (int i = 0; i < axes.count; ++i) {
    part.shape[i] = axes.length[i];
    part.strides[i] = stride_along(view, axes.axis[i], rank);
  }
  return part;
}

LoopNest nest_along(const Operand* ins, int in_count, int rank, const Axes& axes,
                    aclDataType stored) {
  Shape shape;
  shape.rank = axes.count;
  std::copy_n(axes.length, axes.count, shape.dims);
  SmallArray<TensorView, kFewOperands> views(in_count + 1);
  SmallArray<const TensorView*, kFewOperands> pointers(in_count + 1);
  for (int k = 0; k <= in_count; ++k) {
    copy_view(k == 0 ? row_major_view(shape, stored) : along(*ins[k - 1].view, axes, rank),
              &views[k]);
    pointers[k] = &views[k];
  }
  return make_nest(pointers.data(), in_count + 1, 1);
}

// What the loop gives at positions of the inner dimensions, for a position of the outer ones.
class Values {
 public:
  Values(const Operand* ins, int in_count, int rank, const Axes& inner, const Axes& outer,
         aclDataType stored)
      : outer_(outer), nest_(nest_along(ins, in_count, rank, inner, stored)) {
    for (int k = 0; k < in_count; ++k) {
      const TensorView& view = *ins[k].view;
      const int64_t size = data_type_bits(view.dtype) / 8;
      for (int i = 0; i < outer.count; ++i) {
        outer_strides_.add() = stride_along(view, outer.axis[i], rank) * size;
      }
    }
  }

  const LoopNest& nest() const { return nest_; }

  void compute(const BlockJob& job, int64_t outer, int64_t begin, int64_t end, char* to,
               char* scratch) const {
    LoopNest nest = nest_;
    nest.operand[0].start = to - begin * nest.operand[0].item_size;
    for (int i = outer_.count - 1; i >= 0; --i) {
      const int64_t index = outer % outer_.length[i];
      outer /= outer_.length[i];
      for (int k = 1; k < nest.operands; ++k) {
        nest.operand[k].start += index * outer_strides_[(k - 1) * outer_.count + i];
      }
    }
    compute_range(job, nest, begin, end, scratch);
  }

 private:
  const Axes& outer_;
  const LoopNest nest_;
  InlineVector<int64_t, 32> outer_strides_;  // bytes, input by input
};

// The inner dimensions are summed, part by part; each outer position has as many totals as parts.
bool sum_parts(const BlockJob& job, const Values& values, const Adder& adder, int64_t inner,
               int64_t outer, int64_t parts, char* totals) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::min(kSumPart, inner));
  const auto body = [&](int64_t first, int64_t last, char* scratch) {
    alignas(64) char part[kSumPart * kMostValueSize];
    for (int64_t i = first; i < last; ++i) {
      const int64_t begin = i % parts * kSumPart, end = std::min(begin + kSumPart, inner);
      values.compute(job, i / parts, begin, end, part, scratch);
      adder.sum(part, end - begin, totals + i * kTotalSize);
    }
  };
  if (!parallel_with_scratch(job.plan, outer * parts, grain, body)) return false;
  for (int64_t i = 0; i < outer; ++i) adder.join(totals + i * parts * kTotalSize, parts);
  return true;
}

// The outer dimensions are summed, position by position, into totals that are zero.
bool sum_layers(const BlockJob& job, const Values& values, const Adder& adder, int64_t inner,
                int64_t outer, char* totals) {
  const int64_t chunks = (inner + kSumPart - 1) / kSumPart;
  const int64_t grain = std::max<int64_t>(1, kGrain / (std::min(kSumPart, inner) * outer));
  return parallel_with_scratch(
      job.plan, chunks, grain, [&](int64_t first, int64_t last, char* scratch) {
        alignas(64) char layer[kSumPart * kMostValueSize];
        for (int64_t i = first; i < last; ++i) {
          const int64_t begin = i * kSumPart, end = std::min(begin + kSumPart, inner);
          for (int64_t position = 0; position < outer; ++position) {
            values.compute(job, position, begin, end, layer, scratch);
            adder.add(layer, end - begin, totals + begin * kTotalSize);
          }
        }
      });
}

// Totals that are `step` apart, divided if they make a mean, rounded and cast.
Status deliver(const Operand& out, const Adder& adder, char* totals, int64_t count, int64_t step,
               int64_t divisor) {
  const CastArray round = find_array_cast(adder.total, out.dtype);
  if (round == nullptr) return no_kernel_for(*out.view);
  for (int64_t i = 1; i < count; ++i) {
    std::memmove(totals + i * kTotalSize, totals + i * step * kTotalSize, kTotalSize);
  }
  if (divisor != 1) {
    double* const sums = reinterpret_cast<double*>(totals);
    for (int64_t i = 0; i < count; ++i) sums[i] /= static_cast<double>(divisor);
  }
  const int64_t size = data_type_bits(out.dtype) / 8;
  const std::unique_ptr<char[]> rounded(new (std::nothrow) char[count * size]);
  if (rounded == nullptr) return no_memory_for_blocks();
  round(totals, rounded.get(), count);
  TensorView results = row_major_view(shape_of(*out.view), out.dtype);
  results.data = rounded.get();
  return copy(*out.view, results);
}

// Zeros where there is nothing to add.
Status compute_totals(const BlockJob& job, const Values& values, const Adder& adder,
                      const Split& split, char* totals) {
  const int64_t kept = split.kept.total, summed = split.summed.total;
  if (summed == 0) return {};
  const bool enough_memory =
      split.in_parts() ? sum_parts(job, values, adder, summed, kept, split.parts(), totals)
                       : sum_layers(job, values, adder, kept, summed, totals);
  return enough_memory ? Status{} : no_memory_for_blocks();
}

}  // namespace

Status pointwise_sum(Loop loop, const Operand& out, const Operand* ins, int in_count,
                     const Number* numbers, bool mean) {
  Shape whole;
  for (int k = 0; k < in_count; ++k) broadcast_into(&whole, *ins[k].view);
  if (has_shape(*out.view, whole)) return pointwise(loop, &out, 1, ins, in_count, numbers);
  const aclDataType stored = loop_type(out.dtype);
  const Adder* const adder = find_adder(stored);
  if (adder == nullptr) return no_kernel_for(*out.view);
  const Split split(whole, *out.view);
  const int64_t kept = split.kept.total;
  if (kept == 0) return {};

  BlockPlan plan(in_count + 1);
  const TensorView element = row_major_view(Shape{}, stored);
  const Operand value = {&element, stored};
  Status status = find_conversions(&value, 1, ins, in_count, false, plan);
  if (!status.ok()) return status;
  const Axes& inner = split.in_parts() ? split.summed : split.kept;
  const Axes& outer = split.in_parts() ? split.kept : split.summed;
  const Values values(ins, in_count, whole.rank, inner, outer, stored);
  lay_out_buffers(values.nest(), plan);
  const std::unique_ptr<char[]> totals(
      new (std::nothrow) char[kept * split.parts() * kTotalSize]());
  if (totals == nullptr) return no_memory_for_blocks();
  const BlockJob job = {loop, numbers, 1, false, plan};
  status = compute_totals(job, values, *adder, split, totals.get());
  if (!status.ok()) return status;
  return deliver(out, *adder, totals.get(), kept, split.parts(), mean ? split.summed.total : 1);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
