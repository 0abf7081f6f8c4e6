// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace aclhost {

// The elements first, first + step, ... of an axis.
struct Slice {
  int64_t first = 0;
  int64_t count = 0;
};

// Bounds below 0 count from the end, those outside are moved inside. None unless step is positive.
inline Slice slice_of(int64_t length, int64_t start, int64_t end, int64_t step) {
  if (step <= 0) return {};
  length = std::max<int64_t>(length, 0);
  start = std::clamp<int64_t>(start < 0 ? start + length : start, 0, length);
  end = std::clamp<int64_t>(end < 0 ? end + length : end, start, length);
  const int64_t span = end - start;
  return {start, span / step + (span % step != 0)};
}

}  // namespace aclhost
