// SPDX-License-Identifier: Apache-2.0
// Random numbers that follow from a seed, an offset and a position alone (Philox 4x32-10, Salmon et
// al. 2011): any range of them can be computed by any thread.
#pragma once

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Word i is word i % 4 of block i / 4. The key is the seed; the counter holds the number of the
// block in its lower half and the offset in its upper one.
class RandomWords {
 public:
  RandomWords(uint64_t seed, uint64_t offset) : seed_(seed), offset_(offset) {}

  void fill(uint32_t* words, int64_t first, int64_t count) const;

 private:
  uint64_t seed_, offset_;
};

// Evenly spread over [0, 1): the low 23 bits.
inline float unit_float(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word & 0x7fffff)) * 0x1p-23f;
}

// Elements [first, first + count) of a sequence of such numbers.
void fill_uniform(const RandomWords& random, float* numbers, int64_t first, int64_t count);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
