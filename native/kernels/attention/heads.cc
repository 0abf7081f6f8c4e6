// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/heads.h"

#include <cstring>

#include "dtypes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Heads start_of(const TensorView& tensor) {
  Heads heads;
  const int64_t size = data_type_bits(tensor.dtype) / 8;
  heads.data = static_cast<char*>(tensor.data) + tensor.offset * size;
  heads.to_float = find_cast(tensor.dtype, ACL_FLOAT);
  heads.from_float = find_cast(ACL_FLOAT, tensor.dtype);
  return heads;
}

}  // namespace

Heads heads_of(const TensorView& tensor, const char* layout, int64_t heads) {
  Heads result = start_of(tensor);
  const int64_t size = data_type_bits(tensor.dtype) / 8;
  const int last = tensor.rank - 1;
  const bool by_head = std::strncmp(layout, "BN", 2) == 0;
  const int batch = layout[0] == 'S' ? 1 : 0, row = by_head ? 2 : 1 - batch;
  result.batches = tensor.shape[batch];
  result.batch_stride = tensor.strides[batch] * size;
  result.rows = tensor.shape[row];
  result.row_stride = tensor.strides[row] * size;
  result.column_stride = tensor.strides[last] * size;
  if (tensor.rank == 3) {
    result.heads = heads;
    result.width = tensor.shape[last] / heads;
    result.head_stride = result.width * result.column_stride;
    return result;
  }
  const int head = by_head ? 1 : 2;
  result.heads = tensor.shape[head];
  result.head_stride = tensor.strides[head] * size;
  result.width = tensor.shape[last];
  return result;
}

Heads repeated_heads(const TensorView& tensor) {
  if (!tensor.present || tensor.rank < 2) return {};
  Heads result = start_of(tensor);
  const int64_t size = data_type_bits(tensor.dtype) / 8;
  const auto length = [&](int from_end) {
    return from_end <= tensor.rank ? tensor.shape[tensor.rank - from_end] : 1;
  };
  const auto stride = [&](int from_end) {
    return length(from_end) == 1 ? 0 : tensor.strides[tensor.rank - from_end] * size;
  };
  result.width = length(1);
  result.column_stride = tensor.strides[tensor.rank - 1] * size;
  result.rows = length(2);
  result.row_stride = stride(2);
  // Three dimensions are batches of matrices.
  result.heads = tensor.rank == 3 ? 1 : length(3);
  result.head_stride = tensor.rank == 3 ? 0 : stride(3);
  result.batches = tensor.rank == 3 ? length(3) : length(4);
  result.batch_stride = tensor.rank == 3 ? stride(3) : stride(4);
  return result;
}

int32_t block_at(const TensorView& table, int64_t batch, int64_t position) {
  const int64_t place = table.offset + batch * table.strides[0] + position * table.strides[1];
  return static_cast<const int32_t*>(table.data)[place];
}

void KeyRows::read(int64_t batch, int64_t head, int64_t first, int64_t rows, float* to) const {
  const Heads& member = members[count > 1 ? batch : 0];
  for (int64_t row = first; row < first + rows; ++row, to += member.width) {
    if (blocks != nullptr) {
      member.read(block_at(*blocks, batch, row / block_rows), head, row % block_rows, to);
    } else {
      member.read(count > 1 ? 0 : batch, head, row, to);
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
