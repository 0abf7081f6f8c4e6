// SPDX-License-Identifier: Apache-2.0
#include "engines/overlap.h"

#include <cstdlib>
#include <new>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
Status make_dense(const Shape& shape, aclDataType dtype, CopiedView& made) {
  made.view = row_major_view(shape, dtype);
  const int64_t bytes = made.view.storage_elements * (data_type_bits(dtype) / 8);
  made.memory = take_scratch<char>(bytes);
  if (made.memory == nullptr) {
    return Status::failed(
        {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for a dense copy of a tensor"});
  }
  made.view.data = made.memory.get();
  return {};
}

Status copy_of(const TensorView& from, CopiedView& copied) {
  const Status made = make_dense(shape_of(from), from.dtype, copied);
  return made.ok() ? copy(copied.view, from) : made;
}

Status dense_as(const TensorView& view, aclDataType dtype, CopiedView& dense) {
  dense.view = view;
  if (view.dtype == dtype && is_contiguous(view)) return {};
  const Status made = make_dense(shape_of(view), dtype, dense);
  return made.ok() ? copy(dense.view, view) : made;
}

bool may_rewrite(const TensorView& view) {
  int order[kMaxRank], rank = 0;
  for (int i = 0; i < view.rank; ++i) {
    if (view.shape[i] <= 1) continue;
    int place = rank++;
    const int64_t stride = std::llabs(view.strides[i]);
    for (; place > 0 && std::llabs(view.strides[order[place - 1]]) > stride; --place) {
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
  int64_t reach = 0;  // of the dimensions with smaller steps
  for (int i = 0; i < rank; ++i) {
    const int64_t stride = std::llabs(view.strides[order[i]]);
    if (stride <= reach) return true;
    reach += stride * (view.shape[order[i]] - 1);
  }
  return false;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
