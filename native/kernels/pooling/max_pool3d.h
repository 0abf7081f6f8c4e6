// SPDX-License-Identifier: Apache-2.0
// Which elements a pooling window looks at, and which of them it takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/pooling/volume.h"
#include "operator/shapes.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The scan goes through depth, height and width in ascending order. So ties go to the smallest
// index, and the last NaN wins over everything. Takes numbers, or vectors of them.
template <typename Real>
auto replaces_maximum(Real value, Real maximum) {
  return (value > maximum) | (value != value);
}

// The elements of a window along one axis that lie inside the input.
struct Taps {
  int64_t first;
  int64_t step;
  int64_t count;  // 0: the window sees nothing but padding
};

// Ascend 950 accepts every dilation: 0 looks at one element again and again, and a negative one
// goes backwards. Nothing here overflows, however large the numbers.
inline Taps taps_inside(int64_t start, int64_t kernel, int64_t dilation, int64_t length) {
  if (dilation < 0) {
    const int64_t step = -std::max(dilation, -INT64_MAX);
    const Taps mirrored = taps_inside(length - 1 - start, kernel, step, length);
    return {length - 1 - mirrored.first, -step, mirrored.count};
  }
  if (dilation == 1) {  // without divisions, as this is asked for every row
    const int64_t first = std::max<int64_t>(start, 0);
    const int64_t kept = kernel - (first - start);
    return {first, 1, std::max<int64_t>(std::min(kept, length - first), 0)};
  }
  const int64_t step = dilation == 0 ? 1 : dilation;
  const int64_t taps = dilation == 0 ? 1 : kernel;
  const int64_t skipped = start < 0 ? (-1 - start) / step + 1 : 0;
  const int64_t end = start < length ? std::min(taps, (length - 1 - start) / step + 1) : 0;
  return {start + skipped * step, step, std::max<int64_t>(end - skipped, 0)};
}

inline Taps taps_of(const Window& window, int axis, int64_t position, int64_t length) {
  return taps_inside(position * window.stride[axis] - window.padding[axis], window.kernel[axis],
                     window.dilation[axis], length);
}

// What a window takes, and where it is.
template <typename T>
struct Maximum {
  T element;
  int64_t index;
};

// The definition.
template <typename T>
Maximum<T> window_maximum(const Slab& slab, const Taps& depth, const Taps& height,
                          const Taps& width) {
  using Real = ComputeType<T>;
  Real maximum = -std::numeric_limits<Real>::infinity();
  Maximum<T> best = {Narrow<T>::from(maximum), 0};
  // With dilation a window can step over a short input. It gets minus infinity and index 0, which
  // the backward can use.
  if (depth.count == 0 || height.count == 0 || width.count == 0) return best;
  best.index = depth.first * slab.plane() + height.first * slab.shape[2] + width.first;
  for (int64_t i = 0; i < depth.count; ++i) {
    const int64_t d = depth.first + i * depth.step;
    for (int64_t j = 0; j < height.count; ++j) {
      const int64_t h = height.first + j * height.step;
      const char* row = slab.row(d, h);
      for (int64_t k = 0; k < width.count; ++k) {
        const int64_t w = width.first + k * width.step;
        const T element = load<T>(row + w * slab.strides[2]);
        const Real value = widen(element);
        if (!replaces_maximum(value, maximum)) continue;
        maximum = value;
        best = {element, d * slab.plane() + h * slab.shape[2] + w};
      }
    }
  }
  return best;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
