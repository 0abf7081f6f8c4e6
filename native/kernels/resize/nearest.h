// SPDX-License-Identifier: Apache-2.0
// Which elements belong together when an axis is resized to the nearest neighbour.
//
// Index arithmetic is float32 as written, rounding errors included: results depend on it. So the
// two directions are not always each other's adjoint.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// How places along an axis correspond.
struct Factor {
  float scale;  // lengths of the tensor that is read over those of the one that is written
  float shift;  // 0.5 where the middles of elements count, else 0: where they begin

  // Whether arithmetic on places up to `end` makes no rounding errors, if the scale has none.
  bool is_exact_up_to(int64_t end) const { return end <= (shift == 0 ? 1 << 24 : 1 << 22); }
};

// Both tensors have the dimensions N, C, D, H, W. Elements are copied bit by bit.
Status resize_nearest(const TensorView& from, const TensorView& to, const Factor (&factors)[3]);

// The gradient of that; here the factors lead from the tensor that is written to the other one.
Status sum_nearest(const TensorView& from, const TensorView& to, const Factor (&factors)[3]);

// The smaller of both. What is below float(most) is not above `most` either, even where that was
// rounded up.
inline int64_t at_most(float place, int64_t most) {
  return place < static_cast<float>(most) ? static_cast<int64_t>(place) : most;
}

// The input element that the forward copies to output element o. Even an infinite step leaves the
// origin where it is.
inline int64_t nearest_source(int64_t o, const Factor& step, int64_t input_length) {
  if (o == 0 && step.shift == 0) return 0;
  const float place = (static_cast<float>(o) + step.shift) * step.scale;
  return at_most(std::floor(place), input_length - 1);
}

// The first of the output elements whose gradients the backward sums for input element k.
inline int64_t window_start(int64_t k, const Factor& factor, int64_t output_length) {
  if (k == 0) return 0;
  const float place = static_cast<float>(k) * factor.scale - factor.shift;
  return at_most(std::ceil(place), output_length);
}

// Whether the first windows are known without a look, up to the one before `end`: one or two
// elements each.
inline bool has_whole_windows(const Factor& factor, int64_t end, int64_t output_length) {
  if (factor.scale != 1 && factor.scale != 2) return false;
  return (factor.scale == 1 ? end : 2 * end) <= output_length &&
         factor.is_exact_up_to(output_length);
}

// All of them: from `first` up to, and without, `end`.
struct OutputWindow {
  OutputWindow(int64_t k, const Factor& factor, int64_t output_length)
      : first(window_start(k, factor, output_length)),
        end(window_start(k + 1, factor, output_length)) {}
  int64_t first;
  int64_t end;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
