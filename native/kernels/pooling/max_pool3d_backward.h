// SPDX-License-Identifier: Apache-2.0
// What the methods to scatter gradients have in common.
//
// Sums are float32, start at 0 and grow in ascending pooled position, and are rounded once. All
// methods keep to that, so all give the same bits. The fast ones rely on indices that lie inside
// their windows, as pooling gives them. They look at every index; a slab where one lies elsewhere
// gets a flag and is done again by the method that takes all indices.
#pragma once

#include <atomic>
#include <cstdint>

#include "engines/elementwise.h"
#include "engines/window_axis.h"
#include "kernels/pooling/volume.h"
#include "operator/shapes.h"
#include "simd/permute.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Functions of inner loops: inlined into a large one, they would lose registers to it.
#define ACLHOST_APART __attribute__((noinline))

// Pooled rows that are shorter are not worth vectors: adding up is faster.
constexpr int64_t kFewestColumns = 8;

struct PoolGradient {
  Volumes gradients;
  Volumes indices;
  Volumes result;
  Window window;
  bool past_cache;  // Note [Stores past the cache]
};

// Which slabs are to be done again. Slabs share flags, so some are done again without need.
class SlabFlags {
 public:
  void set(int64_t slab) { flags_.fetch_or(flag(slab), std::memory_order_relaxed); }
  bool any() const { return flags_.load(std::memory_order_relaxed) != 0; }
  bool get(int64_t slab) const {
    return (flags_.load(std::memory_order_relaxed) & flag(slab)) != 0;
  }

 private:
  static uint64_t flag(int64_t slab) { return uint64_t{1} << slab % 64; }
  std::atomic<uint64_t> flags_{0};
};

// A run of elements one after the other and aligned: where they are, or a copy.
template <typename T>
const T* contiguous(const char* from, int64_t stride, int64_t count, T* copy) {
  constexpr int64_t kSize = sizeof(T);
  const bool aligned = reinterpret_cast<uintptr_t>(from) % alignof(T) == 0;
  if (stride == kSize && aligned) return reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < count; ++i) copy[i] = load<T>(from + i * stride);
  return copy;
}

// 32-bit indices one by one, and words that must all be 0 if they are longer.
template <typename Words>
struct IndexWords {
  Words low;
  Words high;
};
template <typename Words>
inline IndexWords<Words> load_indices(const int32_t* from) {
  return {load_vector<Words>(from), Words{}};
}
template <typename Words>
inline IndexWords<Words> load_indices(const int64_t* from) {
  using Longs = Vector<uint64_t, sizeof(Words) / sizeof(uint64_t)>;
  const Words first = load_vector<Words>(from);
  const Words second = load_vector<Words>(reinterpret_cast<const char*>(from) + sizeof(Words));
  const Words high = bit_cast<Words>(bit_cast<Longs>(first | second) & ~uint64_t{UINT32_MAX});
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return {evens(first, second), high};
#else
  return {odds(first, second), high};
#endif
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
