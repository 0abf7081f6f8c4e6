// SPDX-License-Identifier: Apache-2.0
// The keys of one row, made again at each pass over it: that is cheaper than to keep them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/sort_keys.h"
#include "engines/sort_words.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Keys from the least to the most.
struct Bracket {
  uint64_t least, most;
};
struct Counts {
  int64_t below = 0, inside = 0;
  int64_t largest = 0;  // if wanted: have the largest key of all, as every NaN in ascending order
};

class RowKeys {
 public:
  static constexpr int64_t kBlock = 256;  // keys that are made at once

  RowKeys(const KeyType& type, uint64_t flip, int64_t length, int chunks)
      : type_(type), flip_(flip), length_(length), chunks_(chunks) {}

  void set_row(const char* row) { row_ = row; }

  // Keys of a bracket: in each chunk, and altogether.
  Counts count(const Bracket& bracket, Counts* counts, bool with_largest) const;
  Counts count_all(Counts* counts) const;
  // How many have the largest key of all; without threads.
  int64_t count_largest() const;

  // From the least key of the row to the most.
  Bracket whole_bracket() const;
  // Between which keys some elements of the row let expect a part of the sorted row.
  Bracket likely_bracket(int64_t first, int64_t count) const;

  // The words of a bracket. A client that changes the row meanwhile must not get words in that
  // nobody counted.
  // `dropped` bits of each key are left out.
  template <typename Word>
  void collect(const Bracket& bracket, const Counts* counts, int index_bits, int dropped,
               Word* words) const {
    int64_t starts[kMaxChunks + 1] = {};
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      starts[chunk + 1] = starts[chunk] + counts[chunk].inside;
    }
    const uint64_t range = bracket.most - bracket.least;
    const auto word = [index_bits, dropped](uint64_t key, int64_t position) {
      return Word{key >> dropped} << index_bits | static_cast<uint64_t>(position);
    };
    for_chunks(length_, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      Word* to = words + starts[chunk];
      Word* const stop = words + starts[chunk + 1];
      for_keys(begin, end, [&](const uint64_t* keys, int64_t position, int64_t n) {
        uint16_t found[kBlock];
        int64_t some = 0;
        for (int64_t i = 0; i < n; ++i) some += keys[i] - bracket.least <= range;
        if (some == 0) return;
        if (some == n && n <= stop - to) {
          for (int64_t i = 0; i < n; ++i) to[i] = word(keys[i] - bracket.least, position + i);
          to += n;
          return;
        }
        int64_t count = 0;
        for (int64_t i = 0; i < n; ++i) {
          found[count] = static_cast<uint16_t>(i);
          count += keys[i] - bracket.least <= range;
        }
        count = std::min<int64_t>(count, stop - to);
        for (int64_t k = 0; k < count; ++k) {
          to[k] = word(keys[found[k]] - bracket.least, position + found[k]);
        }
        to += count;
      });
      std::fill(to, stop, Word{0});
    });
  }

 private:
  template <typename Body>
  void for_keys(int64_t begin, int64_t end, const Body& body) const {
    uint64_t keys[kBlock];
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      type_.encode(row_ + i * type_.item_size, n, flip_, keys);
      body(keys, i, n);
    }
  }

  double likely_place(int64_t place, int samples, int side) const;

  const KeyType type_;
  const uint64_t flip_;
  const int64_t length_;
  const int chunks_;
  const char* row_ = nullptr;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
