// SPDX-License-Identifier: Apache-2.0
#include "engines/sort_row.h"

#include <cmath>

namespace aclhost {
inline namespace ACLHOST_ISA {

Counts RowKeys::count(const Bracket& bracket, Counts* counts, bool with_largest) const {
  const uint64_t largest = type_.largest();
  for_chunks(length_, chunks_, [&](int chunk, int64_t begin, int64_t end) {
    Counts found;
    for_keys(begin, end, [&](const uint64_t* keys, int64_t, int64_t n) {
      int64_t below = 0, inside = 0, most = 0;
      for (int64_t i = 0; i < n; ++i) {
        below += keys[i] < bracket.least;
        inside += keys[i] - bracket.least <= bracket.most - bracket.least;
      }
      for (int64_t i = 0; with_largest && i < n; ++i) most += keys[i] == largest;
      found.below += below;
      found.inside += inside;
      found.largest += most;
    });
    counts[chunk] = found;
  });
  Counts all;
  for (int chunk = 0; chunk < chunks_; ++chunk) {
    all.below += counts[chunk].below;
    all.inside += counts[chunk].inside;
    all.largest += counts[chunk].largest;
  }
  return all;
}

Counts RowKeys::count_all(Counts* counts) const {
  const int64_t most = (length_ + chunks_ - 1) / chunks_;
  for (int chunk = 0; chunk < chunks_; ++chunk) {
    const int64_t begin = std::min(chunk * most, length_);
    counts[chunk] = {0, std::min(begin + most, length_) - begin, 0};
  }
  return {0, length_, 0};
}

int64_t RowKeys::count_largest() const {
  const uint64_t largest = type_.largest();
  int64_t found = 0;
  for_keys(0, length_, [&](const uint64_t* keys, int64_t, int64_t n) {
    int64_t some = 0;
    for (int64_t i = 0; i < n; ++i) some += keys[i] == largest;
    found += some;
  });
  return found;
}

Bracket RowKeys::whole_bracket() const {
  Bracket found[kMaxChunks] = {};
  for_chunks(length_, chunks_, [&](int chunk, int64_t begin, int64_t end) {
    Bracket all = {~uint64_t{0}, 0};
    for_keys(begin, end, [&](const uint64_t* keys, int64_t, int64_t n) {
      uint64_t least = ~uint64_t{0}, most = 0;  // of the block: in registers
      for (int64_t i = 0; i < n; ++i) {
        least = std::min(least, keys[i]);
        most = std::max(most, keys[i]);
      }
      all = {std::min(all.least, least), std::max(all.most, most)};
    });
    found[chunk] = all;
  });
  Bracket all = found[0];
  for (int chunk = 1; chunk < chunks_; ++chunk) {
    all.least = std::min(all.least, found[chunk].least);
    all.most = std::max(all.most, found[chunk].most);
  }
  return all;
}

Bracket RowKeys::likely_bracket(int64_t first, int64_t count) const {
  constexpr int kMostSamples = 1024;
  uint64_t keys[kMostSamples];
  const int samples = length_ < (1 << 14) ? 64 : kMostSamples;
  for (int i = 0; i < samples; ++i) {
    type_.encode(row_ + length_ / samples * i * type_.item_size, 1, flip_, keys + i);
  }
  const auto key_at = [&](double place) {
    uint64_t* const key = keys + static_cast<int>(place);
    std::nth_element(keys, key, keys + samples);
    return *key;
  };
  const double low = likely_place(first, samples, -1);
  const double high = likely_place(first + count, samples, 1);
  return {low < 0 ? 0 : key_at(low), high >= samples ? type_.largest() : key_at(high)};
}

// Where an element of the sorted row would stand among the samples, with more than three standard
// deviations to one side.
double RowKeys::likely_place(int64_t place, int samples, int side) const {
  const double share = static_cast<double>(place) / static_cast<double>(length_);
  return share * samples + side * (3 * std::sqrt(share * (1 - share) * samples) + 2);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
