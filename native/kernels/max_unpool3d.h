// SPDX-License-Identifier: Apache-2.0
// Max unpooling moves elements between small volumes and large ones, in either direction:
// indices[a][i] is the place in large volume a that belongs to element i of small volume a.
//
// A volume is the last three dimensions of a tensor; a counts all others. A position is a * (size
// of a small volume) + i, so any range of positions can be moved on its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/strided.h"
#include "kernels/volume.h"
#include "opbase/index_error.h"
#include "opbase/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where the elements of a volume lie, by their row-major number.
class Places {
 public:
  explicit Places(const Slab& slab);

  int64_t size() const { return size_; }
  int64_t step() const { return step_; }

  // In bytes, from the volume's first element.
  int64_t operator[](int64_t index) const {
    if (step_ != kUneven) return index * step_;
    const int64_t row = index / lengths_[2];
    return row / lengths_[1] * strides_[0] + row % lengths_[1] * strides_[1] +
           index % lengths_[2] * strides_[2];
  }

 private:
  static constexpr int64_t kUneven = INT64_MIN;  // not all elements are equally far apart

  int64_t lengths_[3];
  int64_t strides_[3];
  int64_t size_ = 1;
  int64_t step_ = 0;
};

struct Unpooling {
  Unpooling(const TensorView& large_view, const TensorView& small_view,
            const TensorView& indices_view, int64_t item_size);

  Volumes large;
  Places places;       // in each of the large volumes
  int64_t small_size;  // elements of a small volume
  StridedLoop walk;    // row-major; operand 1 is the small tensor, 2 the indices
  char* small;
  const char* indices;
};

// Calls move(large element, small element) for the positions [begin, end), in this order. The large
// element is null where the index names no place.
template <typename Bits, typename Index, typename Move>
BadIndex for_each_pair(const Unpooling& u, int64_t begin, int64_t end, const Move& move) {
  constexpr int64_t kItem = sizeof(Bits), kIndex = sizeof(Index);
  const int64_t small_step = u.walk.strides[1][0] * kItem;
  const int64_t index_step = u.walk.strides[2][0] * kIndex;
  const uint64_t limit = static_cast<uint64_t>(u.places.size());
  BadIndex bad;
  while (begin < end) {
    const int64_t volume = begin / u.small_size;
    char* const large = u.large.slab(volume).data;
    int64_t at[kMaxRank];
    char* const small = u.small + offset_at(u.walk, 1, begin, at) * kItem;
    const char* const indices = u.indices + offset_at(u.walk, 2, begin, at) * kIndex;
    const int64_t left_in_volume = (volume + 1) * u.small_size - begin;
    const int64_t length = std::min({end - begin, u.walk.shape[0] - at[0], left_in_volume});
    for (int64_t i = 0; i < length; ++i) {
      // Read once: a client that changes it meanwhile must not get past the comparison.
      const int64_t index = load<Index>(indices + i * index_step);
      const bool inside = static_cast<uint64_t>(index) < limit;
      move(inside ? large + u.places[index] : nullptr, small + i * small_step);
      if (!inside && bad.position < 0) bad = {begin + i, index};
    }
    begin += length;
  }
  return bad;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
