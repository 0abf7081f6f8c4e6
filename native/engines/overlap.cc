// SPDX-License-Identifier: Apache-2.0
#include "engines/overlap.h"

#include <algorithm>
#include <new>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"
#include "engines/copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Bytes {
  const char* first;
  const char* end;
};

Bytes bytes_of(const LoopNest& nest, const LoopNest::Operand& operand) {
  Bytes bytes = {operand.start, operand.start + operand.item_size};
  for (int i = 0; i < nest.rank; ++i) {
    const int64_t extent = (nest.shape[i] - 1) * operand.strides[i];
    (extent < 0 ? bytes.first : bytes.end) += extent;
  }
  return bytes;
}

bool same_elements(const LoopNest& nest, const LoopNest::Operand& a, const LoopNest::Operand& b) {
  return a.start == b.start && a.item_size == b.item_size &&
         std::equal(a.strides, a.strides + nest.rank, b.strides);
}

}  // namespace

bool needs_copy(const LoopNest& nest, int outputs, int operand) {
  const LoopNest::Operand& input = nest.operand[operand];
  const Bytes read = bytes_of(nest, input);
  for (int k = 0; k < outputs; ++k) {
    const LoopNest::Operand& output = nest.operand[k];
    if (same_elements(nest, input, output)) continue;
    const Bytes written = bytes_of(nest, output);
    if (read.first < written.end && written.first < read.end) return true;
  }
  return false;
}

bool needs_copies(const LoopNest& nest, int outputs) {
  for (int k = outputs; k < nest.operands; ++k) {
    if (needs_copy(nest, outputs, k)) return true;
  }
  return false;
}

Status copy_of(const TensorView& from, CopiedView& copied) {
  copied.view = row_major_view(shape_of(from), from.dtype);
  const int64_t bytes = copied.view.storage_elements * (data_type_bits(from.dtype) / 8);
  copied.memory.reset(new (std::nothrow) char[bytes]);
  if (copied.memory == nullptr) {
    return Status::failed({ACLNN_ERR_INNER, "", "memory",
                           "there is not enough memory for a copy of an input that shares memory "
                           "with an output"});
  }
  copied.view.data = copied.memory.get();
  return copy(copied.view, from);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
