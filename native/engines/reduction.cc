// SPDX-License-Identifier: Apache-2.0
#include "engines/reduction.h"

#include <algorithm>
#include <cstring>

#include "base/scratch_memory.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/dense_target.h"
#include "engines/reduction_states.h"
#include "engines/scalars.h"
#include "operator/layouts.h"
#include "operator/no_kernel.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using reduction_detail::Axes;
using reduction_detail::Source;
using reduction_detail::Split;
using reduction_detail::States;

int64_t stride_along(const TensorView& view, int axis, int rank) {
  const int own = axis - (rank - view.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
}

// The view with the dimensions of `outer`, then those of `inner`.
TensorView in_order(const TensorView& view, const Shape& whole, const Axes& outer,
                    const Axes& inner) {
  TensorView turned;
  turned.dtype = view.dtype;
  turned.data = view.data;
  turned.offset = view.offset;
  turned.rank = whole.rank;
  for (int i = 0; i < whole.rank; ++i) {
    const int axis = i < outer.count ? outer.axis[i] : inner.axis[i - outer.count];
    turned.shape[i] = whole.dims[axis];
    turned.strides[i] = stride_along(view, axis, whole.rank);
  }
  return turned;
}

LoopNest nest_of(const Operand* ins, int in_count, const Shape& whole, const Split& split,
                 aclDataType stored) {
  const Axes& outer = split.in_parts ? split.kept : split.gone;
  const Axes& inner = split.in_parts ? split.gone : split.kept;
  SmallArray<TensorView, kFewOperands> views(in_count + 1);
  SmallArray<const TensorView*, kFewOperands> pointers(in_count + 1);
  for (int k = 1; k <= in_count; ++k) {
    copy_view(in_order(*ins[k - 1].view, whole, outer, inner), &views[k]);
    pointers[k] = &views[k];
  }
  copy_view(row_major_view(shape_of(views[1]), stored), &views[0]);
  pointers[0] = &views[0];
  return make_nest(pointers.data(), in_count + 1, 1);
}

template <int64_t size>
void same_values(const void* const* in, void* const* out, int64_t n, const Number*) {
  std::memcpy(out[0], in[0], n * size);
}

Loop find_same_values(int64_t size) {
  switch (size) {
    case 1:
      return same_values<1>;
    case 2:
      return same_values<2>;
    case 4:
      return same_values<4>;
    case 8:
      return same_values<8>;
    default:
      return same_values<16>;
  }
}

template <typename Total, int parts>
void divide(char* states, int64_t count, int64_t values, double) {
  Total* const totals = reinterpret_cast<Total*>(states);
  for (int64_t i = 0; i < count * parts; ++i) totals[i] /= static_cast<Total>(values);
}

constexpr int64_t kResultGrain = 16 << 10;  // less is not worth a second thread

// Field by field, rounded, then cast.
Status deliver(const Operand& out, const Field& field, const char* states, int64_t state_size,
               int64_t count) {
  const CastRun round = find_cast(field.dtype, out.dtype);
  if (round == nullptr) return no_kernel_for(*out.view);
  const int64_t size = data_type_bits(out.dtype) / 8;
  const bool is_in_place = out.dtype == out.view->dtype && is_contiguous(*out.view);
  ScratchMemory<char> rounded;
  if (!is_in_place && (rounded = take_scratch<char>(count * size)) == nullptr) {
    return no_memory_for_blocks();
  }
  char* const to = is_in_place ? start_of(*out.view) : rounded.get();
  parallel_for(count, kResultGrain, [&](int64_t begin, int64_t end) {
    round(states + begin * state_size + field.offset, state_size, to + begin * size, size,
          end - begin);
  });
  if (is_in_place) return {};
  TensorView results = row_major_view(shape_of(*out.view), out.dtype);
  results.data = to;
  return copy(*out.view, results);
}

}  // namespace

Status reduce(const Reduction& reduction, const Operand* outs, int out_count, const Operand* ins,
              int in_count) {
  const TensorView& result = *outs[outs[0].view == nullptr ? 1 : 0].view;
  const Reducer* const reducer = find_reducer(reduction.kind, reduction.values);
  if (reducer == nullptr) return no_kernel_for(result);
  Shape whole;
  for (int k = 0; k < in_count; ++k) broadcast_into(&whole, *ins[k].view);
  const Split split(whole, result, *reducer, *ins[0].view);
  const int64_t kept = split.kept.total;
  if (kept == 0) return {};

  BlockPlan plan(in_count + 1);
  const TensorView element = row_major_view(Shape{}, reduction.values);
  const Operand value = {&element, reduction.values};
  Status status = find_conversions(&value, 1, ins, in_count, false, plan);
  if (!status.ok()) return status;
  const LoopNest nest = nest_of(ins, in_count, whole, split, reduction.values);
  lay_out_buffers(nest, 1, Blocks::kCached, plan);
  const bool is_mapped = reduction.map != nullptr;
  const Loop loop =
      is_mapped ? reduction.map : find_same_values(data_type_bits(reduction.values) / 8);
  const BlockJob job = {loop, reduction.numbers, 1, false, Blocks::kCached, plan};
  const Source source = {is_mapped, reduction.reduce_plain, ins[0].view->dtype};
  States states(job, nest, source, *reducer, split);
  if (!states.compute()) return no_memory_for_blocks();
  if (reducer->settle != nullptr) reducer->settle(states.at(0, 0), kept);
  if (reduction.finish != nullptr) {
    parallel_for(kept, kResultGrain, [&](int64_t begin, int64_t end) {
      reduction.finish(states.at(0, begin), end - begin, split.gone.total, reduction.number);
    });
  }
  for (int k = 0; k < out_count && status.ok(); ++k) {
    if (outs[k].view == nullptr) continue;
    status = deliver(outs[k], reducer->fields[k], states.at(0, 0), reducer->size, kept);
  }
  return status;
}

Finish find_mean(aclDataType values) {
  switch (data_type_category(values)) {
    case TypeCategory::kFloating:
      return divide<double, 1>;
    case TypeCategory::kComplex:
      return divide<double, 2>;
    default:
      return divide<int64_t, 1>;
  }
}

TensorView with_reduced(const TensorView& result, const TensorView& in, uint32_t mask) {
  TensorView view = result;
  view.rank = in.rank;
  const bool keeps = result.rank == in.rank;
  for (int i = 0, own = 0; i < in.rank; ++i) {
    const bool goes = (mask >> i & 1) != 0;
    view.shape[i] = goes ? 1 : in.shape[i];
    view.strides[i] = goes || own >= result.rank ? 0 : result.strides[own];
    own += keeps || !goes;
  }
  return view;
}

uint32_t mask_of(int64_t dim, int rank) {
  if (dim < 0) dim += rank;
  return dim >= 0 && dim < rank ? 1u << dim : 0;
}

uint32_t mask_of(const IntArrayView& dims, int rank) {
  if (dims.size == 0) return (1u << rank) - 1;
  uint32_t mask = 0;
  for (const int64_t dim : dims) mask |= mask_of(dim, rank);
  return mask;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
