// SPDX-License-Identifier: Apache-2.0
#include "kernels/index/index.h"

#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/index_error.h"
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

}  // namespace ACLHOST_ISA
}  // namespace aclhost
