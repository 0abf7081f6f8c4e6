// SPDX-License-Identifier: Apache-2.0
#include "kernels/index/index.h"

#include "engines/copy.h"
#include "operator/index_error.h"
#include "operator/no_kernel.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

BadIndex first_bad(const NamedIndex& index, const TensorView& values) {
  const int64_t least = index.wraps ? -index.limit : 0, count = values.elements();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = load<int64_t>(static_cast<const char*>(values.data) + 8 * i);
    if (value < least || value >= index.limit) return {i, value};
  }
  return {};
}

}  // namespace

Status Untouched::keep(const TensorView& view, const TensorView& written) {
  view_ = &view;
  if (view.empty() || written.empty() || !share_memory(view, written)) return {};
  view_ = &copy_.view;
  return copy_of(view, copy_);
}

Status index_outcome(const char* op, bool good, const NamedIndex* indices, int count) {
  for (int k = 0; k < count && !good; ++k) {
    CopiedView values;
    Status status = make_dense(shape_of(*indices[k].view), ACL_INT64, values);
    if (status.ok()) status = copy(values.view, *indices[k].view);
    if (!status.ok()) return status;
    const BadIndex bad = first_bad(indices[k], values.view);
    if (bad.position < 0) continue;
    return axis_index_out_of_range(op, indices[k].parameter, *indices[k].view, bad,
                                   indices[k].limit, indices[k].wraps);
  }
  return {};
}

Status Combined::prepare(const TensorView& out, const TensorView& source, Combine how) {
  out_ = &out;
  source_ = &source;
  how_ = how;
  is_wide_ = how != Combine::kReplace && (out.dtype == ACL_FLOAT16 || out.dtype == ACL_BF16);
  if (!is_wide_) {
    const bool possible = how == Combine::kReplace || can_combine(out.dtype, how);
    return possible ? Status() : no_kernel_for(out);
  }
  Status status = make_dense(shape_of(out), ACL_FLOAT, wide_table_);
  if (status.ok()) status = copy(wide_table_.view, out);
  if (status.ok()) status = make_dense(shape_of(source), ACL_FLOAT, wide_source_);
  return status.ok() ? copy(wide_source_.view, source) : status;
}

bool Combined::run(const IndexedWalk& walk) const {
  return combine_indexed(walk, may_rewrite(table()), table().dtype, how_);
}

Status Combined::finish() const { return is_wide_ ? copy(*out_, wide_table_.view) : Status(); }

Status scatter_along(const Scattering& s) {
  Untouched index, source;
  Status status = index.keep(*s.index, *s.out);
  if (status.ok()) status = source.keep(*s.source, *s.out);
  if (status.ok() && s.self != s.out)
    status = copy(with_dimension(*s.out), with_dimension(*s.self));
  if (!status.ok() || s.index->empty() || s.out->empty()) return status;
  const TensorView out = with_dimension(*s.out), from = with_dimension(source.view());
  const int axis = axis_of(s.dim, out);
  Combined combined;
  status = combined.prepare(out, from, s.how);
  if (!status.ok()) return status;
  const auto walk = s.has_own_indices ? walk_each : walk_along;
  const bool good = combined.run(
      walk(combined.source(), combined.table(), axis, with_dimension(index.view()), s.wraps));
  status = combined.finish();
  const NamedIndex named = {"index", &index.view(), out.shape[axis], s.wraps};
  return status.ok() ? index_outcome(s.op, good || s.skips, &named, 1) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
