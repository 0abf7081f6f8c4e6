// SPDX-License-Identifier: Apache-2.0
#include "kernels/pooling/unpooling.h"

#include "dtypes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Places::Places(const Slab& slab) {
  int64_t expected = 0;
  for (int axis = 2; axis >= 0; --axis) {
    lengths_[axis] = slab.shape[axis];
    strides_[axis] = slab.strides[axis];
    if (slab.shape[axis] == 1) continue;  // nobody steps along it
    if (size_ == 1) {
      step_ = slab.strides[axis];
    } else if (slab.strides[axis] != expected) {
      step_ = kUneven;
    }
    expected = slab.strides[axis] * slab.shape[axis];
    size_ = saturating_product(size_, slab.shape[axis]);
  }
}

int64_t Places::operator[](int64_t index) const {
  if (step_ != kUneven) return index * step_;
  const int64_t row = index / lengths_[2];
  return row / lengths_[1] * strides_[0] + row % lengths_[1] * strides_[1] +
         index % lengths_[2] * strides_[2];
}

// With 2^(k-1) < divisor <= 2^k, the multiplier is below 2^32 and exact enough for 31 bits.
Places::Divisor::Divisor(int64_t divisor) {
  int k = 0;
  while ((int64_t{1} << k) < divisor) ++k;
  shift = 31 + k;
  multiplier = ((uint64_t{1} << shift) + divisor - 1) / divisor;
}

void Places::locate(const int64_t* indices, int64_t count, int64_t* offsets) const {
  if (step_ != kUneven || size_ > INT32_MAX) {
    for (int64_t i = 0; i < count; ++i) offsets[i] = (*this)[indices[i]];
    return;
  }
  const Divisor width(lengths_[2]), height(lengths_[1]);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = width.quotient(indices[i]);
    const int64_t depth = height.quotient(row);
    offsets[i] = depth * strides_[0] + (row - depth * lengths_[1]) * strides_[1] +
                 (indices[i] - row * lengths_[2]) * strides_[2];
  }
}

namespace {

// The dense operand keeps the walk in row-major order, whatever the strides of the others.
StridedLoop row_major_walk(const TensorView& small, const TensorView& indices) {
  const TensorView order = row_major_view(shape_of(small), small.dtype);
  return make_loop({&order, &small, &indices});
}

}  // namespace

Unpooling::Unpooling(const TensorView& large_view, const TensorView& small_view,
                     const TensorView& indices_view, int64_t item_bytes)
    : large(volumes_of(large_view, item_bytes)),
      places(large.slab(0)),
      walk(row_major_walk(small_view, indices_view)),
      item_size(item_bytes) {
  const Volumes small_volumes = volumes_of(small_view, item_size);
  small = small_volumes.data;
  small_size = Places(small_volumes.slab(0)).size();
  const int64_t planes = std::max<int64_t>(large.shape[2] / small_volumes.shape[2], 1);
  layer = saturating_product(planes, saturating_product(large.shape[3], large.shape[4]));
  index_size = data_type_bits(indices_view.dtype) / 8;
  indices = volumes_of(indices_view, index_size).data;
  small_step = walk.strides[1][0] * item_size;
  index_step = walk.strides[2][0] * index_size;
}

Status unpool_outcome(const char* op, const Unpooling& u, const TensorView& indices,
                      const BadIndex& bad) {
  if (bad.position < 0) return {};
  return index_out_of_range(op, indices, bad.position, bad.value, u.places.size());
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
