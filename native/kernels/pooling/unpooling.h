// SPDX-License-Identifier: Apache-2.0
// Max unpooling moves elements between small volumes and large ones, in either direction:
// indices[a][i] is the place in large volume a that belongs to element i of small volume a.
//
// A volume is the last three dimensions of a tensor; a counts all others. A position is a * (size
// of a small volume) + i, so any range of positions can be moved on its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/strided.h"
#include "kernels/pooling/volume.h"
#include "operator/index_error.h"
#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Views with stride 0 may describe more elements than a number can count.
inline int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// Where the elements of a volume lie, by their row-major number.
class Places {
 public:
  explicit Places(const Slab& slab);

  int64_t size() const { return size_; }
  // In bytes, from one element to the next; kUneven if that differs.
  int64_t step() const { return step_; }

  // In bytes, from the volume's first element.
  int64_t operator[](int64_t index) const;
  // The same for many indices.
  void locate(const int64_t* indices, int64_t count, int64_t* offsets) const;

  static constexpr int64_t kUneven = INT64_MIN;

 private:
  // Divides numbers below 2^31 without a division.
  struct Divisor {
    uint64_t multiplier = 0;
    int shift = 0;
    explicit Divisor(int64_t divisor);
    uint64_t quotient(uint64_t number) const { return number * multiplier >> shift; }
  };

  int64_t lengths_[3];
  int64_t strides_[3];
  int64_t size_ = 1;
  int64_t step_ = 0;
};

struct Unpooling {
  Unpooling(const TensorView& large_view, const TensorView& small_view,
            const TensorView& indices_view, int64_t item_size);

  // Whether a row-major number times the size of an element is an offset, in all volumes.
  bool dense() const { return places.step() == item_size && small_step == item_size; }
  // Whether all tensors together need more than this.
  bool exceeds(int64_t bytes) const {
    const int64_t small_bytes = saturating_product(walk.total, item_size + index_size);
    const int64_t elements = saturating_product(large.slabs(), places.size());
    return small_bytes > bytes || elements > (bytes - small_bytes) / item_size;
  }
  // The first element of a large volume.
  char* volume(int64_t number) const { return large.slab(number).data; }

  Volumes large;
  Places places;       // in each of the large volumes
  int64_t small_size;  // elements of a small volume
  int64_t layer;       // places in a large volume that one plane of a small one stands for
  StridedLoop walk;    // row-major; operand 1 is the small tensor, 2 the indices
  char* small;
  const char* indices;
  int64_t item_size;
  int64_t index_size;
  int64_t small_step;  // along a stretch, in bytes
  int64_t index_step;
};

// Consecutive positions in one volume that a constant step leads through.
struct Stretch {
  int64_t position;
  int64_t length;
  char* large;  // the volume's first element
  char* small;  // the stretch's first element
  const char* indices;
};

// Calls visit(stretch) for stretches that cover the positions [begin, end) in this order. Divides
// only before the first of them, as they can be short.
template <typename Visit>
void for_each_stretch(const Unpooling& u, int64_t begin, int64_t end, const Visit& visit) {
  if (begin >= end) return;
  const StridedLoop& walk = u.walk;
  int64_t volume = begin / u.small_size, left = (volume + 1) * u.small_size - begin;
  char* large = u.volume(volume);
  int64_t at[kMaxRank];
  char* small = u.small + offset_at(walk, 1, begin, at) * u.item_size;
  const char* indices = u.indices + offset_of(walk, 2, at) * u.index_size;
  while (true) {
    const int64_t length = std::min({end - begin, walk.shape[0] - at[0], left});
    visit(Stretch{begin, length, large, small, indices});
    begin += length;
    if (begin == end) return;
    left -= length;
    if (left == 0) {
      large = u.volume(++volume);
      left = u.small_size;
    }
    at[0] += length;
    int64_t small_move = length * walk.strides[1][0], index_move = length * walk.strides[2][0];
    for (int i = 0; at[i] == walk.shape[i]; ++i) {
      small_move += walk.strides[1][i + 1] - walk.shape[i] * walk.strides[1][i];
      index_move += walk.strides[2][i + 1] - walk.shape[i] * walk.strides[2][i];
      at[i] = 0;
      ++at[i + 1];
    }
    small += small_move * u.item_size;
    indices += index_move * u.index_size;
  }
}

// Places in one large volume, from first to last - 1.
struct Part {
  int64_t first;
  int64_t last;

  int64_t size() const { return last - first; }
  bool holds(int64_t index) const {
    return static_cast<uint64_t>(index) - first < static_cast<uint64_t>(last - first);
  }
};

// Indices are copied, checked and used in chunks of this length.
constexpr int64_t kChunk = 64;

// Asks for indices that follow each other in memory, while those at `i` are used: the processor
// does so itself, but stops at every page.
template <typename Index>
inline void fetch_indices(const Stretch& stretch, int64_t i) {
  constexpr int64_t kAhead = 4 << 10, kSize = sizeof(Index);  // bytes
  const auto from = reinterpret_cast<uintptr_t>(stretch.indices) + i * kSize + kAhead;
  for (int64_t byte = 0; byte < kChunk * kSize; byte += kLineBytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(from + byte));
  }
}

namespace unpool_detail {

template <typename Index>
inline bool take(const char* from, int64_t step, int64_t count, const Part& part, int64_t* to) {
  const uint64_t first = part.first, last = part.last - 1;
  int64_t outside = 0;  // negative as soon as one of the numbers that it is made of is
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = load<Index>(from + i * step);
    to[i] = index;
    outside |= static_cast<int64_t>((index - first) | (last - index));
  }
  return outside >= 0;
}

}  // namespace unpool_detail

// Copies indices, and says whether all of them lie in a part. They are read once: a client that
// changes them meanwhile must not get past the check, so only the copies may be used.
template <typename Index>
inline bool take_indices(const Unpooling& u, const Part& part, const char* from, int64_t count,
                         int64_t* to) {
  constexpr int64_t kSize = sizeof(Index);
  if (u.index_step != kSize) {
    return unpool_detail::take<Index>(from, u.index_step, count, part, to);
  }
  return count == kChunk ? unpool_detail::take<Index>(from, kSize, kChunk, part, to)
                         : unpool_detail::take<Index>(from, kSize, count, part, to);
}
// The same for the whole volume: whether all of them name a place.
template <typename Index>
inline bool take_indices(const Unpooling& u, const char* from, int64_t count, int64_t* to) {
  return take_indices<Index>(u, {0, u.places.size()}, from, count, to);
}

inline bool names_place(const Unpooling& u, int64_t index) {
  return static_cast<uint64_t>(index) < static_cast<uint64_t>(u.places.size());
}

// Keeps the first of the bad indices among those taken, if none was found before.
inline void note_bad(const Unpooling& u, int64_t position, const int64_t* taken, int64_t count,
                     BadIndex* bad) {
  for (int64_t i = 0; i < count && bad->position < 0; ++i) {
    if (!names_place(u, taken[i])) *bad = {position + i, taken[i]};
  }
}

// One call: tensors of rank 4 or 5, and the indices as the client knows them, for messages.
struct UnpoolTensors {
  const char* op;
  const TensorView& named;
  const TensorView& large;
  const TensorView& small;
  const TensorView& indices;
};
Status scatter_unpooled(const UnpoolTensors& tensors);  // from small to large; INT32 or INT64
Status gather_pooled(const UnpoolTensors& tensors);     // from large to small; INT64

Status unpool_outcome(const char* op, const Unpooling& u, const TensorView& indices,
                      const BadIndex& bad);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
