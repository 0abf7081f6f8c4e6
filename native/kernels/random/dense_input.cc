// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/dense_input.h"

#include "dtypes.h"
#include "engines/copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

bool is_row_major(const TensorView& view) {
  int64_t stride = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] != 1 && view.strides[i] != stride) return false;
    stride *= view.shape[i];
  }
  return true;
}

bool is_same_memory(const TensorView& a, const TensorView& b) {
  return a.data == b.data && a.offset == b.offset && a.dtype == b.dtype && is_row_major(b);
}

}  // namespace

Status read_dense(const TensorView& tensor, aclDataType dtype, const TensorView& out,
                  DenseInput& input) {
  if (tensor.dtype == dtype && is_row_major(tensor) &&
      (is_same_memory(tensor, out) || !share_memory(tensor, out))) {
    const int64_t size = data_type_bits(dtype) / 8;
    input.elements = static_cast<const char*>(tensor.data) + tensor.offset * size;
    return {};
  }
  Status status = make_dense(shape_of(tensor), dtype, input.copied);
  if (status.ok()) status = copy(input.copied.view, tensor);
  input.elements = input.copied.memory.get();
  return status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
