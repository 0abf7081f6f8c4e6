// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/dense_input.h"

#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Each element is read before it is written.
bool is_same_array(const TensorView& a, const TensorView& b) {
  return a.data == b.data && a.offset == b.offset && a.dtype == b.dtype && is_contiguous(a) &&
         is_contiguous(b);
}

}  // namespace

Status DenseInput::take(const TensorView& tensor, aclDataType dtype, const TensorView& out) {
  if (is_same_array(tensor, out) || !share_memory(tensor, out)) {
    return elements_.take(tensor, dtype);
  }
  const Status status = copy_of(tensor, copied_);
  return status.ok() ? elements_.take(copied_.view, dtype) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
