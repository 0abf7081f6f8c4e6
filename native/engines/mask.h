// SPDX-License-Identifier: Apache-2.0
// Note [Masks]
// Which elements are chosen, as bytes in row-major order, and how many come before each chunk of
// them: so chunks find their places in a result without one another.
#pragma once

#include <cstdint>
#include <memory>

#include "base/parallel.h"
#include "base/status.h"
#include "engines/overlap.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class CountedMask {
 public:
  // What is not 0 is chosen. The mask broadcasts to the shape.
  Status count(const TensorView& mask, const Shape& shape);

  int64_t chosen() const { return ends_[chunks_]; }

  // Elements of the mask, and how many are chosen: ahead of them, and of them when they were
  // counted. A client may change the mask meanwhile, so nobody may take more.
  struct Chunk {
    int64_t first, count, before, chosen;
  };

  // Calls visit(const Chunk&) for all chunks.
  template <typename Visit>
  void for_each_chunk(const Visit& visit) const {
    parallel_for(chunks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * kChunk;
        visit(Chunk{first, first + kChunk < total_ ? kChunk : total_ - first, ends_[chunk],
                    ends_[chunk + 1] - ends_[chunk]});
      }
    });
  }

  const unsigned char* bytes() const { return bytes_; }

 private:
  static constexpr int64_t kChunk = 1 << 14;

  CopiedView dense_;
  const unsigned char* bytes_ = nullptr;
  int64_t total_ = 0, chunks_ = 0;
  std::unique_ptr<int64_t[]> ends_;  // chosen elements before each chunk, and of all
};

// Collects the places, counted from first, of chosen elements; returns how many there are. There is
// room for `count` of them.
int64_t chosen_places(const unsigned char* mask, int64_t count, int64_t first, int64_t* places);

// Packs the chosen ones of `count` elements of 1, 2, 4, 8 or 16 bytes; at most `most`.
void pack_chosen(const unsigned char* mask, const char* from, char* to, int64_t item_size,
                 int64_t count, int64_t most);

// The reverse: chosen elements become the next ones of a packed array of `most`.
void unpack_chosen(const unsigned char* mask, const char* from, char* to, int64_t item_size,
                   int64_t count, int64_t most);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
