// SPDX-License-Identifier: Apache-2.0
// Random numbers that follow from a seed, an offset and a position alone (Philox 4x32-10, Salmon et
// al. 2011): any range of them can be computed by any thread.
#pragma once

#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Word i is word i % 4 of block i / 4. The key is the seed; one half of the counter holds the
// number of the block, the other one stays.
class RandomWords {
 public:
  // The offset is the upper half.
  RandomWords(uint64_t seed, uint64_t offset) : seed_(seed), fixed_(offset), shift_(0) {}

  // The place is the lower half: each block is the start of a sequence of its own.
  static RandomWords of_sequences(uint64_t seed, uint64_t place) {
    RandomWords words(seed, place);
    words.shift_ = 2;
    return words;
  }

  void fill(uint32_t* words, int64_t first, int64_t count) const;

  // The same word of each of several blocks.
  void fill_with_one(int word, uint32_t* words, int64_t first_block, int64_t count) const;

  // That word and, below it, the next one of each of several blocks.
  void fill_with_two(int word, uint64_t* pairs, int64_t first_block, int64_t count) const;

 private:
  uint64_t seed_, fixed_;
  int shift_;  // where in the counter the number of the block begins
};

// Evenly spread over [0, 1): the low 23 bits.
inline float unit_float(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word & 0x7fffff)) * 0x1p-23f;
}

// Evenly spread over (0, 1]: all bits, rounded.
inline float positive_unit_float(uint32_t word) {
  return static_cast<float>(word) * 0x1p-32f + 0x1p-33f;
}

// How many of all words give a positive_unit_float below a bound, or at most a bound. Those are the
// least ones.
uint64_t words_below(float bound);
uint64_t words_up_to(float bound);

// Elements [first, first + count) of a sequence of unit_floats.
void fill_uniform(const RandomWords& random, float* numbers, int64_t first, int64_t count);

// The same of a standard normal distribution. Each pair of words gives a pair of numbers, by Box
// and Muller.
void fill_normal(const RandomWords& random, float* numbers, int64_t first, int64_t count);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
