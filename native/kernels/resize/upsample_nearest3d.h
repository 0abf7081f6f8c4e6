// SPDX-License-Identifier: Apache-2.0
// Which elements belong together when an axis is resized to the nearest neighbour.
//
// Index arithmetic is float32 as written, rounding errors included: results depend on it. So the
// two directions are not always each other's adjoint.
#pragma once

#include <cmath>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The smaller of both. What is below float(most) is not above `most` either, even where that was
// rounded up.
inline int64_t at_most(float place, int64_t most) {
  return place < static_cast<float>(most) ? static_cast<int64_t>(place) : most;
}

// The input element that the forward copies to output element o. Even an infinite step leaves the
// origin where it is.
inline int64_t nearest_source(int64_t o, float step, int64_t input_length) {
  if (o == 0) return 0;
  return at_most(std::floor(static_cast<float>(o) * step), input_length - 1);
}

// The first of the output elements whose gradients the backward sums for input element k.
inline int64_t window_start(int64_t k, float scale, int64_t output_length) {
  if (k == 0) return 0;
  return at_most(std::ceil(static_cast<float>(k) * scale), output_length);
}

// Whether the first windows are known without a look, up to the one before `end`: one or two
// elements each. Places up to 2^24 are exact as float.
inline bool has_whole_windows(float scale, int64_t end, int64_t output_length) {
  if (scale != 1 && scale != 2) return false;
  return (scale == 1 ? end : 2 * end) <= output_length && output_length <= 1 << 24;
}

// All of them: from `first` up to, and without, `end`.
struct OutputWindow {
  OutputWindow(int64_t k, float scale, int64_t output_length)
      : first(window_start(k, scale, output_length)),
        end(window_start(k + 1, scale, output_length)) {}
  int64_t first;
  int64_t end;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
