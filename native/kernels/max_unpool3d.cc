// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_unpool3d.h"

#include <cstring>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "opbase/index_error.h"
#include "ops/max_unpool3d.h"
#include "ops/max_unpool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Views with stride 0 may describe more elements than a number can count.
int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

template <typename Bits, typename Move>
BadIndex move_range(const Unpooling& u, const TensorView& indices, int64_t begin, int64_t end,
                    const Move& move) {
  return indices.dtype == ACL_INT32 ? for_each_pair<Bits, int32_t>(u, begin, end, move)
                                    : for_each_pair<Bits, int64_t>(u, begin, end, move);
}

template <typename Bits>
void clear(const Places& places, char* volume) {
  if (places.step() == sizeof(Bits)) {
    std::memset(volume, 0, places.size() * sizeof(Bits));
  } else {
    for (int64_t i = 0; i < places.size(); ++i) store(volume + places[i], Bits{0});
  }
}

// Volumes [first, last). Each is cleared right before it is filled, while it is in the cache. Where
// indices repeat, the last position wins.
template <typename Bits>
BadIndex scatter(const Unpooling& u, const TensorView& indices, int64_t first, int64_t last) {
  const auto put = [](char* large, const char* small) {
    if (large != nullptr) store(large, load<Bits>(small));
  };
  BadIndex bad;
  for (int64_t volume = first; volume < last; ++volume) {
    clear<Bits>(u.places, u.large.slab(volume).data);
    const int64_t begin = volume * u.small_size;
    const BadIndex here = move_range<Bits>(u, indices, begin, begin + u.small_size, put);
    if (bad.position < 0) bad = here;
  }
  return bad;
}

Status outcome(const char* op, const Unpooling& u, const TensorView& indices, const BadIndex& bad) {
  if (bad.position < 0) return {};
  return index_out_of_range(op, indices, bad.position, bad.value, u.places.size());
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

Unpooling::Unpooling(const TensorView& large_view, const TensorView& small_view,
                     const TensorView& indices_view, int64_t item_size)
    : large(volumes_of(large_view, item_size)), places(large.slab(0)) {
  const Volumes small_volumes = volumes_of(small_view, item_size);
  small = small_volumes.data;
  small_size = Places(small_volumes.slab(0)).size();
  indices = volumes_of(indices_view, data_type_bits(indices_view.dtype) / 8).data;
  // The dense operand keeps the walk in row-major order, whatever the strides of the others.
  const TensorView order = row_major_view(shape_of(small_view), small_view.dtype);
  walk = make_loop({&order, &small_view, &indices_view});
}

Status run(const MaxUnpool3dBackwardArgs& args) {
  return visit_width(args.out, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(args.gradOutput, args.out, args.indices, sizeof(Bits));
    const auto get = [](const char* large, char* small) {
      store(small, large != nullptr ? load<Bits>(large) : Bits{0});
    };
    FirstBadIndex bad;
    parallel_for(u.walk.total, kParallelElements, [&](int64_t begin, int64_t end) {
      bad.add(move_range<Bits>(u, args.indices, begin, end, get));
    });
    return outcome(args.kOperator, u, args.indices, bad.get());
  });
}

Status run(const MaxUnpool3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(args.outRef, args.self, args.indices, sizeof(Bits));
    const int64_t grain = std::max<int64_t>(kParallelElements / u.places.size(), 1);
    FirstBadIndex bad;
    parallel_for(u.large.slabs(), grain, [&](int64_t first, int64_t last) {
      bad.add(scatter<Bits>(u, args.indices, first, last));
    });
    return outcome(args.kOperator, u, args.indices, bad.get());
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
