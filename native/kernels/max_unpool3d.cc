// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_unpool3d.h"

#include <cstring>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "ops/max_unpool3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Views with stride 0 may describe more elements than a number can count.
int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

template <typename Bits>
void clear(const Places& places, char* volume) {
  if (places.step() == sizeof(Bits)) {
    std::memset(volume, 0, places.size() * sizeof(Bits));
  } else {
    for (int64_t i = 0; i < places.size(); ++i) store(volume + places[i], Bits{0});
  }
}

template <typename Bits, typename Index>
BadIndex scatter_stretch(const Unpooling& u, const Stretch& s) {
  constexpr int64_t kItem = sizeof(Bits);
  alignas(64) int64_t taken[kChunk];
  const bool dense = u.dense();
  BadIndex bad;
  for (int64_t i = 0; i < s.length; i += kChunk) {
    const int64_t count = std::min(kChunk, s.length - i);
    const bool fine = take_indices<Index>(u, s.indices + i * u.index_step, count, taken);
    const char* const in = s.small + i * u.small_step;
    if (!fine) {
      note_bad(u, s.position + i, taken, count, &bad);
      for (int64_t k = 0; k < count; ++k) {
        if (!names_place(u, taken[k])) continue;
        store(s.large + u.places[taken[k]], load<Bits>(in + k * u.small_step));
      }
    } else if (dense) {
      for (int64_t k = 0; k < count; ++k) {
        store(s.large + taken[k] * kItem, load<Bits>(in + k * kItem));
      }
    } else {
      int64_t offsets[kChunk];
      u.places.locate(taken, count, offsets);
      for (int64_t k = 0; k < count; ++k) {
        store(s.large + offsets[k], load<Bits>(in + k * u.small_step));
      }
    }
  }
  return bad;
}

// Volumes [first, last). Each is cleared right before it is filled, while it is in the cache. Where
// indices repeat, the last position wins.
template <typename Bits, typename Index>
BadIndex scatter(const Unpooling& u, int64_t first, int64_t last) {
  BadIndex bad;
  for (int64_t volume = first; volume < last; ++volume) {
    clear<Bits>(u.places, u.large.slab(volume).data);
    const int64_t begin = volume * u.small_size;
    for_each_stretch(u, begin, begin + u.small_size, [&](const Stretch& stretch) {
      const BadIndex here = scatter_stretch<Bits, Index>(u, stretch);
      if (bad.position < 0) bad = here;
    });
  }
  return bad;
}

}  // namespace

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

Unpooling::Unpooling(const TensorView& large_view, const TensorView& small_view,
                     const TensorView& indices_view, int64_t item_bytes)
    : large(volumes_of(large_view, item_bytes)), places(large.slab(0)), item_size(item_bytes) {
  const Volumes small_volumes = volumes_of(small_view, item_size);
  small = small_volumes.data;
  small_size = Places(small_volumes.slab(0)).size();
  index_size = data_type_bits(indices_view.dtype) / 8;
  indices = volumes_of(indices_view, index_size).data;
  // The dense operand keeps the walk in row-major order, whatever the strides of the others.
  const TensorView order = row_major_view(shape_of(small_view), small_view.dtype);
  walk = make_loop({&order, &small_view, &indices_view});
  small_step = walk.strides[1][0] * item_size;
  index_step = walk.strides[2][0] * index_size;
}

Status unpool_outcome(const char* op, const Unpooling& u, const TensorView& indices,
                      const FirstBadIndex& bad) {
  const BadIndex& first = bad.get();
  if (first.position < 0) return {};
  return index_out_of_range(op, indices, first.position, first.value, u.places.size());
}

Status run(const MaxUnpool3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(args.outRef, args.self, args.indices, sizeof(Bits));
    const int64_t grain = std::max<int64_t>(kParallelElements / u.places.size(), 1);
    FirstBadIndex bad;
    parallel_for(u.large.slabs(), grain, [&](int64_t first, int64_t last) {
      bad.add(args.indices.dtype == ACL_INT32 ? scatter<Bits, int32_t>(u, first, last)
                                              : scatter<Bits, int64_t>(u, first, last));
    });
    return unpool_outcome(args.kOperator, u, args.indices, bad);
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
