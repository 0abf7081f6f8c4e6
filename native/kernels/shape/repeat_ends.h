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
    int64_t* const ends = ends_.extend(static_cast<size_t>(repeats.elements()));
    int64_t sum = 0;
    for (int64_t i = 0; i < repeats.elements(); ++i) {
      const int64_t left = length - sum;
      const auto number = load<int64_t>(numbers + i * int64_t{sizeof(int64_t)});
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
  BadIndex bad_;
  int64_t limit_ = 0;
  InlineVector<int64_t, 64> ends_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
