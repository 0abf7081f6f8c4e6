// SPDX-License-Identifier: Apache-2.0
#include "engines/dense.h"

#include <new>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/copy.h"
#include "operator/layouts.h"
#include "operator/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status no_memory_for_copy() {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for a copy of a tensor"});
}

Status DenseArray::take(const TensorView& view, aclDataType dtype) {
  const int64_t size = data_type_bits(dtype) / 8;
  const char* const start = static_cast<const char*>(view.data) + view.offset * size;
  const bool is_aligned = reinterpret_cast<uintptr_t>(start) % static_cast<uintptr_t>(size) == 0;
  if (view.dtype == dtype && is_contiguous(view) && is_aligned) {
    data_ = start;
    return {};
  }
  TensorView dense = row_major_view(shape_of(view), dtype);
  memory_ = take_scratch<char>(dense.storage_elements * size);
  if (memory_ == nullptr) return no_memory_for_copy();
  data_ = memory_.get();
  dense.data = memory_.get();
  return copy(dense, view);
}

Status deliver(const void* results, aclDataType dtype, aclDataType rounded, const TensorView& out) {
  TensorView dense = row_major_view(shape_of(out), dtype);
  dense.data = const_cast<void*>(results);
  if (rounded == dtype) return copy(out, dense);
  TensorView narrow = row_major_view(shape_of(out), rounded);
  const int64_t bytes = narrow.storage_elements * (data_type_bits(rounded) / 8);
  const ScratchMemory<char> memory = take_scratch<char>(bytes);
  if (memory == nullptr) return no_memory_for_copy();
  narrow.data = memory.get();
  Status status = copy(narrow, dense);
  return status.ok() ? copy(out, narrow) : status;
}

Status deliver_one(double result, aclDataType rounded, const TensorView& out) {
  TensorView narrow = row_major_view(Shape{}, rounded), wide = row_major_view(Shape{}, ACL_DOUBLE);
  alignas(8) char element[8];
  narrow.data = element;
  wide.data = &result;
  Status status = copy(narrow, wide);
  return status.ok() ? copy(out, narrow) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
