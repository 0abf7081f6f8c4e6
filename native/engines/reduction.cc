// SPDX-License-Identifier: Apache-2.0
#include "engines/reduction.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/scalars.h"
#include "operator/no_kernel.h"
#include "operator/shapes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kFewValues = 32;
constexpr int64_t kReducedPart = 4096;
constexpr int64_t kColumns = 1024;      // results that grow together
constexpr int64_t kGroup = 64 << 10;    // values
constexpr int64_t kGrain = 16 << 10;    // values; less is not worth a second thread
constexpr int64_t kMostValueSize = 16;  // bytes

// Some dimensions of a shape.
struct Axes {
  int count = 0;
  int64_t total = 1;
  int axis[kMaxRank];

  void add(int number, int64_t size) {
    axis[count++] = number;
    total *= size;
  }
};

struct Split {
  Split(const Shape& whole, const TensorView& out) {
    for (int i = 0; i < whole.rank; ++i) {
      const int own = i - (whole.rank - out.rank);
      const bool stays = own >= 0 && out.shape[own] == whole.dims[i];
      (stays ? kept : gone).add(i, whole.dims[i]);
      if (whole.dims[i] != 1) last_goes = !stays;
    }
    in_parts = last_goes && gone.total >= kFewValues;
  }

  Axes kept;
  Axes gone;
  bool last_goes = false;
  bool in_parts;
};

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

// Ranges of what is reduced, in the order of the nest; of a thread.
class Values {
 public:
  Values(const BlockJob& job, const LoopNest& nest, bool as_they_are, char* scratch)
      : job_(job), nest_(nest), as_they_are_(as_they_are), scratch_(scratch) {}

  // At most kReducedPart of them.
  const char* get(int64_t begin, int64_t end) {
    if (as_they_are_) {
      Block block(nest_, begin);
      block.count = end - begin;
      const LoopNest::Operand& in = nest_.operand[1];
      const char* const place = address_of(nest_, in, block);
      if (is_contiguous(nest_, in, block) && is_aligned(place, in.item_size)) return place;
    }
    nest_.operand[0].start = buffer_ - begin * nest_.operand[0].item_size;
    compute_range(job_, nest_, begin, end, scratch_);
    return buffer_;
  }

 private:
  const BlockJob& job_;
  LoopNest nest_;
  const bool as_they_are_;
  char* const scratch_;
  alignas(64) char buffer_[kReducedPart * kMostValueSize];
};

// The states of all results, in rows that remain to be joined.
class States {
 public:
  States(const BlockJob& job, const LoopNest& nest, bool as_they_are, const Reducer& reducer,
         const Split& split)
      : job_(job),
        nest_(nest),
        as_they_are_(as_they_are),
        reducer_(reducer),
        in_parts_(split.in_parts),
        kept_(split.kept.total),
        gone_(split.gone.total),
        columns_(std::min(kept_, kColumns)),
        group_(std::max<int64_t>(1, kGroup / columns_)) {
    rows_ = std::max<int64_t>(
        1, in_parts_ ? (gone_ + kReducedPart - 1) / kReducedPart : (gone_ + group_ - 1) / group_);
    states_.reset(new (std::nothrow) char[rows_ * kept_ * reducer.size]);
  }

  // False: there is not enough memory.
  bool compute() {
    if (states_ == nullptr) return false;
    if (gone_ == 0) {
      reducer_.start(states_.get(), kept_);
      return true;
    }
    if (!(in_parts_ ? reduce_parts() : add_layers())) return false;
    for (int64_t half, rows = rows_; rows > 1; rows = half) {
      half = (rows + 1) / 2;
      reducer_.join(states_.get(), at(half, 0), (rows - half) * kept_);
    }
    return true;
  }

  char* at(int64_t row, int64_t result) const {
    return states_.get() + (row * kept_ + result) * reducer_.size;
  }

 private:
  template <typename Body>
  bool for_each(int64_t units, int64_t values_of_unit, const Body& body) {
    const int64_t grain = std::max<int64_t>(1, kGrain / values_of_unit);
    const auto work = [&](int64_t first, int64_t last, char* scratch) {
      Values values(job_, nest_, as_they_are_, scratch);
      for (int64_t i = first; i < last; ++i) body(i, values);
    };
    return parallel_with_scratch(job_.plan, units, grain, work);
  }

  // A unit is a part of one result, or as many results as make one.
  bool reduce_parts() {
    const int64_t results = std::max<int64_t>(1, kReducedPart / gone_);
    const int64_t units = (kept_ + results - 1) / results * rows_;
    return for_each(units, std::min(kReducedPart, results * gone_), [&](int64_t i, Values& values) {
      const int64_t row = i % rows_, first = i / rows_ * results;
      const int64_t count = std::min(results, kept_ - first);
      const int64_t begin = row * kReducedPart, end = std::min(begin + kReducedPart, gone_);
      const int64_t last = first + count - 1;
      const char* from = values.get(first * gone_ + begin, last * gone_ + end);
      for (int64_t result = first; result <= last; ++result) {
        reducer_.reduce(from, end - begin, begin, at(row, result));
        from += gone_ * nest_.operand[0].item_size;
      }
    });
  }

  // A unit is some columns of a group.
  bool add_layers() {
    const int64_t blocks = (kept_ + kColumns - 1) / kColumns;
    return for_each(blocks * rows_, columns_ * std::min(group_, gone_),
                    [&](int64_t i, Values& values) {
                      const int64_t first = i % blocks * kColumns, row = i / blocks;
                      const int64_t end = std::min((row + 1) * group_, gone_);
                      add_group(first, std::min(kColumns, kept_ - first), row * group_, end, values,
                                at(row, first));
                    });
  }

  void add_group(int64_t first, int64_t columns, int64_t begin, int64_t end, Values& values,
                 char* states) {
    reducer_.start(states, columns);
    const int64_t most = columns == kept_ ? kReducedPart / columns : 1;
    for (int64_t count; begin < end; begin += count) {
      count = std::min(most, end - begin);
      const int64_t from = begin * kept_ + first;
      reducer_.add(values.get(from, from + (count - 1) * kept_ + columns), columns, count, begin,
                   states);
    }
  }

  const BlockJob& job_;
  const LoopNest& nest_;
  const bool as_they_are_;
  const Reducer& reducer_;
  const bool in_parts_;
  const int64_t kept_;
  const int64_t gone_;
  const int64_t columns_;
  const int64_t group_;  // positions of a group
  int64_t rows_;
  std::unique_ptr<char[]> states_;
};

template <typename Total, int parts>
void divide(char* states, int64_t count, int64_t values, double) {
  Total* const totals = reinterpret_cast<Total*>(states);
  for (int64_t i = 0; i < count * parts; ++i) totals[i] /= static_cast<Total>(values);
}

// Field by field, rounded, then cast.
Status deliver(const Operand& out, const Field& field, const char* states, int64_t state_size,
               int64_t count) {
  const CastRun round = find_cast(field.dtype, out.dtype);
  if (round == nullptr) return no_kernel_for(*out.view);
  const int64_t size = data_type_bits(out.dtype) / 8;
  const std::unique_ptr<char[]> rounded(new (std::nothrow) char[count * size]);
  if (rounded == nullptr) return no_memory_for_blocks();
  round(states + field.offset, state_size, rounded.get(), size, count);
  TensorView results = row_major_view(shape_of(*out.view), out.dtype);
  results.data = rounded.get();
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
  const Split split(whole, result);
  const int64_t kept = split.kept.total;
  if (kept == 0) return {};

  BlockPlan plan(in_count + 1);
  const TensorView element = row_major_view(Shape{}, reduction.values);
  const Operand value = {&element, reduction.values};
  Status status = find_conversions(&value, 1, ins, in_count, false, plan);
  if (!status.ok()) return status;
  const LoopNest nest = nest_of(ins, in_count, whole, split, reduction.values);
  lay_out_buffers(nest, plan);
  const bool is_mapped = reduction.map != nullptr;
  const Loop loop =
      is_mapped ? reduction.map : find_same_values(data_type_bits(reduction.values) / 8);
  const BlockJob job = {loop, reduction.numbers, 1, false, plan};
  const bool as_they_are = !is_mapped && plan.conversions[1].first == nullptr;
  States states(job, nest, as_they_are, *reducer, split);
  if (!states.compute()) return no_memory_for_blocks();
  if (reduction.finish != nullptr) {
    reduction.finish(states.at(0, 0), kept, split.gone.total, reduction.number);
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
