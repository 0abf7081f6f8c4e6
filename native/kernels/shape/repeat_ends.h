// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/inline_vector.h"
#include "base/status.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/index_error.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where the places of each element end that comes as often as a tensor says: sums, none of them
// above the length of the result. Remembers the first number that is negative or too large.
class RepeatEnds {
 public:
  Status add_up(const TensorView& repeats, int64_t length) {
    CopiedView dense;
    const Status status = dense_as(repeats, ACL_INT64, dense);
    if (!status.ok()) return status;
    const char* const numbers =
        static_cast<const char*>(dense.view.data) + dense.view.offset * int64_t{sizeof(int64_t)};
    const int64_t count = repeats.elements();
    int64_t* const ends = ends_.extend(static_cast<size_t>(count));
    int64_t sum = 0;
    if (all_fit(numbers, count, length)) {
      for (int64_t i = 0; i < count; ++i) ends[i] = sum += number_at(numbers, i);
      return {};
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t left = length - sum, number = number_at(numbers, i);
      if (bad_.position < 0 && (number < 0 || number > left)) {
        bad_ = {i, number};
        limit_ = left + 1;
      }
      sum += std::clamp<int64_t>(number, 0, left);
      ends[i] = sum;
    }
    return {};
  }

  const int64_t* data() const { return ends_.data(); }
  int64_t first() const { return ends_.size() > 0 ? ends_[0] : 0; }
  Status report(const char* op, const TensorView& repeats) const {
    if (bad_.position < 0) return {};
    return repeats_out_of_range(op, repeats, bad_, limit_);
  }

 private:
  static int64_t number_at(const char* numbers, int64_t i) {
    return load<int64_t>(numbers + i * int64_t{sizeof(int64_t)});
  }

  // Whether none is negative and there are places for all; sums need no looking after then.
  static bool all_fit(const char* numbers, int64_t count, int64_t length) {
    int64_t least = 0, most = 0;
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t number = number_at(numbers, i);
      least = std::min(least, number);
      most = std::max(most, number);
      sum += static_cast<uint64_t>(number);
    }
    const bool is_sum = most == 0 || count <= INT64_MAX / most;
    return least >= 0 && is_sum && sum <= static_cast<uint64_t>(length);
  }

  BadIndex bad_;
  int64_t limit_ = 0;
  InlineVector<int64_t, 64> ends_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
