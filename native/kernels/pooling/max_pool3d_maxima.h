// SPDX-License-Identifier: Apache-2.0
// What SlidingMaxima and PackedMaxima are made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/pooling/max_pool3d.h"
#include "kernels/pooling/max_pool3d_keys.h"
#include "kernels/pooling/volume.h"
#include "simd/permute.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Maxima of several windows, and where they are. Elements have to come in the order of the
// definition.
template <typename T>
struct RunningMaxima {
  using Keys = typename PoolKeys<T>::Keys;
  using Offsets = MaskOf<Keys>;

  Keys best;
  Offsets offset = {};

  // Which of them were replaced.
  Offsets consider(Keys key, Offsets at) {
    const Offsets taken = replaces_maximum(key, best);
    offset = taken ? at : offset;
    best = taken ? key : best;
    return taken;
  }
};

// Reads the elements of a slab's rows.
template <typename T>
class RowReader {
  using Key = typename PoolKeys<T>::Key;
  using Keys = typename PoolKeys<T>::Keys;

 public:
  explicit RowReader(const Slab& slab)
      : step_(slab.strides[2]), follow_(step_ == sizeof(T) || slab.shape[2] == 1) {
    memory_end_ = slab.data + sizeof(T);
    for (int axis = 0; axis < 3; ++axis) {
      memory_end_ += std::max<int64_t>((slab.shape[axis] - 1) * slab.strides[axis], 0);
    }
  }

  // As many as there are, at most a vector, and anything behind them.
  Keys load(const char* from, int64_t count) const {
    if (follow_ && (count >= kLanes<Key> || memory_end_ - from >= int64_t{sizeof(Keys)})) {
      return load_vector<Keys>(from);
    }
    Keys elements = {};
    for (int64_t k = 0; k < std::min<int64_t>(count, kLanes<Key>); ++k) {
      elements[k] = aclhost::load<Key>(from + k * step_);
    }
    return elements;
  }

 private:
  const int64_t step_;
  const bool follow_;  // the elements of a row follow each other
  const char* memory_end_;
};

// Hands out arrays, one behind the other.
class ArrayGiver {
 public:
  explicit ArrayGiver(char* memory) : memory_(memory) {}

  template <typename Item>
  Item* take(int64_t count) {
    char* const array = memory_;
    memory_ += count * static_cast<int64_t>(sizeof(Item));
    return reinterpret_cast<Item*>(array);
  }

 private:
  char* memory_;
};

// Every element, or every second one.
template <int stride, typename Key>
Vector<Key> load_strided(const Key* from) {
  static_assert(stride == 1 || stride == 2);
  if constexpr (stride == 1) return load_vector<Vector<Key>>(from);
  return evens(load_vector<Vector<Key>>(from), load_vector<Vector<Key>>(from + kLanes<Key>));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
