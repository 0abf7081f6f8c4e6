// SPDX-License-Identifier: Apache-2.0
#include "kernels/pooling/staged_result.h"

#include <new>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"
#include "engines/copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

bool is_dense(const TensorView& view) {
  int64_t expected = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

std::unique_ptr<char[]> allocate(int64_t bytes) {
  return std::unique_ptr<char[]>(new (std::nothrow) char[bytes]);
}

Status no_memory() {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for an intermediate tensor"});
}

StagedResult::StagedResult(const TensorView& out, const Shape& shape, aclDataType dtype)
    : out_(out), view_(row_major_view(shape, dtype)), staged_(false) {
  if (out.dtype == dtype && has_shape(out, shape)) {
    copy_view(out, &view_);
  } else if (out.dtype == dtype && is_dense(out)) {
    view_.data = out.data;
    view_.offset = out.offset;
  } else {
    staged_ = true;
  }
}

Status StagedResult::prepare() {
  if (!staged_) return {};
  memory_ = allocate(view_.storage_elements * (data_type_bits(view_.dtype) / 8));
  view_.data = memory_.get();
  return memory_ ? Status{} : no_memory();
}

Status StagedResult::deliver() const {
  if (!staged_) return {};
  TensorView written = row_major_view(shape_of(out_), view_.dtype);
  written.data = view_.data;
  return copy(out_, written);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
