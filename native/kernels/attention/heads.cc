// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/heads.h"

#include <algorithm>
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
  heads.size = size;
  heads.direct = tensor.dtype == ACL_FLOAT;
  return heads;
}

// Once lengths and strides are known.
bool is_direct(const Heads& heads) {
  constexpr int64_t kSize = sizeof(float), kLongest = INT32_MAX;
  const auto whole = [](int64_t stride) { return stride % kSize == 0; };
  return heads.direct && heads.column_stride == kSize &&
         reinterpret_cast<uintptr_t>(heads.data) % kSize == 0 && whole(heads.batch_stride) &&
         whole(heads.head_stride) && whole(heads.row_stride) &&
         heads.row_stride / kSize >= heads.width && heads.row_stride / kSize <= kLongest;
}

}  // namespace

void Heads::read(int64_t batch, int64_t head, int64_t row, int64_t count, float* to) const {
  const char* from = at(batch, head, row);
  const bool together = column_stride == size && row_stride == width * size;
  const int64_t rows = together ? 1 : count, length = together ? count * width : width;
  for (int64_t i = 0; i < rows; ++i, from += row_stride, to += width) {
    to_float(from, column_stride, reinterpret_cast<char*>(to), sizeof(float), length);
  }
}

void Heads::write(int64_t batch, int64_t head, int64_t row, int64_t count,
                  const float* from) const {
  char* to = at(batch, head, row);
  for (int64_t i = 0; i < count; ++i, from += width, to += row_stride) {
    from_float(reinterpret_cast<const char*>(from), sizeof(float), to, column_stride, width);
  }
}

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
    result.direct = is_direct(result);
    return result;
  }
  const int head = by_head ? 1 : 2;
  result.heads = tensor.shape[head];
  result.head_stride = tensor.strides[head] * size;
  result.width = tensor.shape[last];
  result.direct = is_direct(result);
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

Heads numbers_of_heads(const TensorView& tensor) {
  Heads result = start_of(tensor);
  const int last = tensor.rank - 1;
  result.heads = tensor.shape[last];
  result.head_stride = tensor.strides[last] * result.size;
  result.batches = last > 0 ? tensor.shape[0] : 1;
  result.batch_stride = last > 0 ? tensor.strides[0] * result.size : 0;
  result.rows = result.width = 1;
  return result;
}

int32_t block_at(const TensorView& table, int64_t batch, int64_t position) {
  const int64_t place = table.offset + batch * table.strides[0] + position * table.strides[1];
  return static_cast<const int32_t*>(table.data)[place];
}

Matrix<float> KeyRows::read(int64_t batch, int64_t head, int64_t first, int64_t rows,
                            float* room) const {
  const Heads& member = members[count > 1 ? batch : 0];
  if (blocks == nullptr) {
    const int64_t place = count > 1 ? 0 : batch;
    if (member.direct) {
      const auto* const data = reinterpret_cast<const float*>(member.at(place, head, first));
      return {data, member.row_stride / static_cast<int64_t>(sizeof(float)), 1};
    }
    member.read(place, head, first, rows, room);
    return {room, member.width, 1};
  }
  for (int64_t done = 0; done < rows;) {
    const int64_t row = first + done, within = row % block_rows;
    const int64_t some = std::min(rows - done, block_rows - within);
    member.read(block_at(*blocks, batch, row / block_rows), head, within, some,
                room + done * member.width);
    done += some;
  }
  return {room, member.width, 1};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
