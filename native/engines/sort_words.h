// SPDX-License-Identifier: Apache-2.0
// Note [Sorted words]
// A key and, in the bits below it, the position where it stood are one number, a word. No two words
// of a row are equal, so that every way to sort them gives the order of a stable sort by key: which
// way is taken and how many threads take it does not show.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

__extension__ typedef unsigned __int128 WideWord;  // where 64 bits are too few

constexpr int kMaxChunks = 16;  // of a row, for one thread each

// How many bits a number takes.
inline int bit_width(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

// Calls body(chunk, begin, end) for parts of [0, n).
template <typename Body>
void for_chunks(int64_t n, int chunks, const Body& body) {
  parallel_for(chunks, 1, [&](int64_t first, int64_t last) {
    const int64_t most = (n + chunks - 1) / chunks;
    for (int64_t chunk = first; chunk < last; ++chunk) {
      body(static_cast<int>(chunk), std::min(chunk * most, n), std::min((chunk + 1) * most, n));
    }
  });
}

// Sorts by some bits in the middle of words that are in order of those below.
template <typename Word>
class RadixPass {
 public:
  static constexpr int kMostBits = 11;
  using Counts = int64_t[kMaxChunks][1 << kMostBits];

  RadixPass(int shift, int bits, int chunks, Counts& counts)
      : shift_(shift), buckets_(1 << bits), chunks_(chunks), counts_(counts) {}

  // False: all have the same bits there, and nothing was moved.
  bool move(const Word* from, Word* to, int64_t n) {
    for_chunks(n, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      int64_t* const counts = counts_[chunk];
      std::fill_n(counts, buckets_, 0);
      for (int64_t i = begin; i < end; ++i) ++counts[bucket(from[i])];
    });
    if (!find_places(bucket(from[0]), n)) return false;
    for_chunks(n, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      int64_t* const places = counts_[chunk];
      for (int64_t i = begin; i < end; ++i) to[places[bucket(from[i])]++] = from[i];
    });
    return true;
  }

 private:
  int bucket(Word word) const {
    return static_cast<int>(static_cast<uint64_t>(word >> shift_) & (buckets_ - 1));
  }

  // Counts become where the next word of that bucket and chunk goes.
  bool find_places(int any, int64_t n) {
    int64_t in_any = 0, place = 0;
    for (int chunk = 0; chunk < chunks_; ++chunk) in_any += counts_[chunk][any];
    if (in_any == n) return false;
    for (int i = 0; i < buckets_; ++i) {
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        const int64_t count = counts_[chunk][i];
        counts_[chunk][i] = place;
        place += count;
      }
    }
    return true;
  }

  int shift_, buckets_, chunks_;
  Counts& counts_;
};

// Sorts words by the bits from `shift` on, of which there are `bits`; those below are in order.
// `other` is as long; the result is in one of the two.
template <typename Word>
Word* sort_words(Word* words, Word* other, int64_t n, int shift, int bits, int chunks,
                 typename RadixPass<Word>::Counts& counts) {
  const int most = n < (1 << 14) ? 8 : RadixPass<Word>::kMostBits;
  const int passes = (bits + most - 1) / most;
  for (int pass = 0; pass < passes; ++pass) {
    const int first = bits * pass / passes, last = bits * (pass + 1) / passes;
    if (RadixPass<Word>(shift + first, last - first, chunks, counts).move(words, other, n)) {
      std::swap(words, other);
    }
  }
  return words;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
