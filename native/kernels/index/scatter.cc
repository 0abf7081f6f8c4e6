// SPDX-License-Identifier: Apache-2.0
#include "kernels/index/scatter.h"

#include <algorithm>
#include <type_traits>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/scalars.h"
#include "kernels/index/index.h"
#include "operator/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rounded down, as upstream divides.
template <typename T>
T mean(T sum, int64_t terms) {
  if constexpr (std::is_integral_v<T>) {
    const int64_t quotient = static_cast<int64_t>(sum) / terms;
    return static_cast<T>(static_cast<int64_t>(sum) % terms < 0 ? quotient - 1 : quotient);
  } else {
    return sum / static_cast<T>(terms);
  }
}

template <typename T>
Status divide_as(const TensorView& sums, const int64_t* terms) {
  auto* const values = static_cast<T*>(sums.data);
  const int64_t count = sums.elements();
  for (int64_t i = 0; i < count; ++i) values[i] = mean(values[i], terms[i]);
  return {};
}

// Dense tensors of the same shape.
Status divide(const TensorView& sums, const int64_t* terms) {
  switch (sums.dtype) {
    case ACL_FLOAT:
      return divide_as<float>(sums, terms);
    case ACL_DOUBLE:
      return divide_as<double>(sums, terms);
    case ACL_INT8:
      return divide_as<int8_t>(sums, terms);
    case ACL_UINT8:
      return divide_as<uint8_t>(sums, terms);
    case ACL_INT16:
      return divide_as<int16_t>(sums, terms);
    case ACL_INT32:
      return divide_as<int32_t>(sums, terms);
    case ACL_INT64:
      return divide_as<int64_t>(sums, terms);
    default:
      return no_kernel_for(sums);
  }
}

ScalarValue one() {
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = ACL_INT64;
  scalar.bytes[0] = 1;
  return scalar;
}

using MakeWalk = IndexedWalk (*)(const TensorView&, const TensorView&, int, const TensorView&,
                                 bool);

// Divides each sum by one and the number of elements that were added to it.
Status divide_by_terms(const Scattering& s, MakeWalk walk, int axis, const TensorView& index,
                       const Combined& sums) {
  const ScalarValue each = one();
  CopiedView terms;
  Status status = make_dense(shape_of(sums.table()), ACL_INT64, terms);
  if (status.ok()) status = fill(terms.view, each);
  if (!status.ok()) return status;
  const TensorView ones = repeated(each, sums.source());
  scatter_indexed(walk(ones, terms.view, axis, index, s.wraps), false, ACL_INT64, Combine::kAdd);
  return divide(sums.table(), static_cast<const int64_t*>(terms.view.data));
}

struct Tensors {
  TensorView self, index, source, out;
};

Status scatter_part(const Scattering& s, const Tensors& part, int axis, bool& good) {
  const TensorView& self = s.self == s.out ? part.out : part.self;
  if (part.index.empty() || part.out.empty()) {
    return s.self == s.out ? Status() : copy(part.out, self);
  }
  Combined combined;
  Status status = combined.prepare(self, part.out, part.source, s.how, s.is_mean);
  if (!status.ok()) return status;
  const auto walk = s.has_own_indices ? walk_each : walk_along;
  const bool all_good =
      combined.run(walk(combined.source(), combined.table(), axis, part.index, s.wraps));
  good = good && all_good;
  if (s.is_mean) status = divide_by_terms(s, walk, axis, part.index, combined);
  return status.ok() ? combined.finish() : status;
}

// A dimension, and how much of it is scattered into at once.
struct Parts {
  int dim;
  int64_t length, total;
};

// What becomes wider on the way should stay in a cache until it is narrow again. Parts lie beside
// each other along another dimension than the axis, and share no line. Not where places overlap:
// the next part would begin with the sums of the last one.
Parts parts_of(const Scattering& s, const Tensors& all, int axis) {
  constexpr int64_t kCached = 1 << 19, kLine = 32;  // elements
  const TensorView& out = all.out;
  Parts parts = {axis, 1, 1};
  const bool is_wide = s.how != Combine::kReplace && loop_type(out.dtype) != out.dtype;
  if (!is_wide || out.empty() || may_rewrite(out)) return parts;
  for (int i = 0; i < out.rank; ++i) {
    if (i != axis && out.shape[i] > parts.total) parts = {i, out.shape[i], out.shape[i]};
  }
  const int64_t largest = std::max(out.elements(), all.source.elements()) / parts.total;
  parts.length = std::max<int64_t>(kCached / std::max<int64_t>(largest, 1) / kLine, 1) * kLine;
  return parts;
}

// The positions from `begin` to `end`, as far as there are such.
TensorView between(const TensorView& view, int dim, int64_t begin, int64_t end) {
  TensorView part = view;
  begin = std::min(begin, view.shape[dim]);
  part.offset += begin * view.strides[dim];
  part.shape[dim] = std::min(end, view.shape[dim]) - begin;
  return part;
}

Tensors part_from(const Scattering& s, const Tensors& all, int axis, const Parts& parts,
                  int64_t begin) {
  if (parts.length >= parts.total) return all;
  const int64_t end = begin + parts.length;
  const int behind = parts.dim > axis && !s.has_own_indices ? all.index.rank - 1 : 0;
  Tensors part = {between(all.self, parts.dim, begin, end), all.index,
                  between(all.source, parts.dim + behind, begin, end),
                  between(all.out, parts.dim, begin, end)};
  if (s.has_own_indices) part.index = between(all.index, parts.dim, begin, end);
  return part;
}

}  // namespace

TensorView repeated(const ScalarValue& element, const TensorView& like) {
  TensorView view = like;
  view.dtype = element.dtype;
  view.data = const_cast<unsigned char*>(element.bytes);
  view.offset = 0;
  std::fill_n(view.strides, view.rank, 0);
  return view;
}

Status Combined::prepare(const TensorView& self, const TensorView& out, const TensorView& source,
                         Combine how, bool apart) {
  out_ = &out;
  source_ = &source;
  how_ = how;
  const aclDataType dtype = how == Combine::kReplace ? out.dtype : loop_type(out.dtype);
  is_wide_ = dtype != out.dtype;
  is_apart_ = is_wide_ || apart;
  if (!can_combine(dtype, how)) return no_kernel_for(out);
  Status status;
  if (is_apart_) status = make_dense(shape_of(out), dtype, own_table_);
  if (status.ok() && (is_apart_ || &self != &out)) status = copy(table(), self);
  if (is_wide_ && status.ok()) status = make_dense(shape_of(source), dtype, wide_source_);
  return is_wide_ && status.ok() ? copy(wide_source_.view, source) : status;
}

bool Combined::run(const IndexedWalk& walk) const {
  return scatter_indexed(walk, may_rewrite(table()), table().dtype, how_);
}

Status Combined::finish() const { return is_apart_ ? copy(*out_, own_table_.view) : Status(); }

Status scatter_along(const Scattering& s) {
  const Tensors all = {with_dimension(*s.self), with_dimension(*s.index), with_dimension(*s.source),
                       with_dimension(*s.out)};
  const int axis = axis_of(s.dim, all.out);
  const Parts parts = parts_of(s, all, axis);
  bool good = true;
  for (int64_t begin = 0; begin < parts.total; begin += parts.length) {
    const Status status = scatter_part(s, part_from(s, all, axis, parts, begin), axis, good);
    if (!status.ok()) return status;
  }
  const NamedIndex named = {s.parameter, s.index, all.out.shape[axis], s.wraps};
  return index_outcome(s.op, good || s.skips, &named, 1);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
