// SPDX-License-Identifier: Apache-2.0
// The threads of upstream's kernels for Ascend 950, each with a sequence of words of its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/random.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// n elements lie in rows of as many as there are threads.
class ThreadWords {
 public:
  // Words are counted from one on.
  ThreadWords(int64_t n, uint64_t key, uint64_t first) : key_(key), first_(first) {
    constexpr int64_t kGroup = 256, kMostGroups = 624;
    threads_ = kGroup * std::min((n + kGroup - 1) / kGroup, kMostGroups);
  }

  int64_t threads() const { return threads_; }

  // So many elements from one on are in its row.
  int64_t left_in_row(int64_t element) const { return threads_ - element % threads_; }

  // The word with a number of each of some threads.
  void fill(uint64_t number, uint32_t* words, int64_t thread, int64_t count) const {
    const uint64_t place = first_ + number;
    RandomWords::of_sequences(key_, place / 4)
        .fill_with_one(static_cast<int>(place % 4), words, thread, count);
  }

  // One word for each of some elements: that with the number of the row.
  void fill_in_rows(uint32_t* words, int64_t element, int64_t count) const {
    for (int64_t done = 0, taken; done < count; done += taken) {
      const int64_t first = element + done;
      taken = std::min(count - done, left_in_row(first));
      fill(static_cast<uint64_t>(first / threads_), words + done, first % threads_, taken);
    }
  }

  // Two words for each of some elements, the first of them above.
  void fill_with_two(uint64_t* pairs, int64_t element, int64_t count) const {
    for (int64_t done = 0, taken; done < count; done += taken) {
      const int64_t first = element + done;
      taken = std::min(count - done, left_in_row(first));
      fill_row_with_two(first / threads_, first % threads_, taken, pairs + done);
    }
  }

 private:
  void fill_row_with_two(int64_t row, int64_t thread, int64_t count, uint64_t* pairs) const {
    const uint64_t number = static_cast<uint64_t>(2 * row), place = first_ + number;
    if (place % 4 < 3) {
      const RandomWords words = RandomWords::of_sequences(key_, place / 4);
      return words.fill_with_two(static_cast<int>(place % 4), pairs, thread, count);
    }
    constexpr int64_t kMost = 256;
    uint32_t words[2][kMost];
    for (int64_t done = 0, taken; done < count; done += taken) {
      taken = std::min(count - done, kMost);
      for (int i = 0; i < 2; ++i) {
        fill(number + static_cast<uint64_t>(i), words[i], thread + done, taken);
      }
      for (int64_t i = 0; i < taken; ++i) {
        pairs[done + i] = uint64_t{words[0][i]} << 32 | words[1][i];
      }
    }
  }

  uint64_t key_, first_;
  int64_t threads_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
