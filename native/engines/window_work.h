// SPDX-License-Identifier: Apache-2.0
// What is computed over windows, and of what: window.h.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "engines/window_axis.h"
#include "kernels/pooling/volume.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct WindowWork {
  Volumes sources;
  Volumes targets;
  WindowAxis axes[3];
  bool gradient = false;  // targets are positions, sources are windows
  bool with_padding = false;
  int64_t divisor = 0;  // of every window; 0: its number of positions

  Range sources_of(int axis, int64_t target) const {
    return gradient ? axes[axis].windows(target) : axes[axis].positions(target);
  }
  // What a mean over a window is divided by is a product over the axes.
  int64_t counted(int axis, int64_t window) const {
    if (divisor != 0) return axis == 0 ? divisor : 1;
    return axes[axis].counted(window, with_padding);
  }
};

// Joined sources are numbers of this type.
template <typename T, bool is_integer = std::is_integral_v<T>>
struct WindowNumber {
  using type = ComputeType<T>;
  static type from(T element) { return widen(element); }
  static T to(type number) { return Narrow<T>::from(number); }
};
template <typename T>
struct WindowNumber<T, true> {
  using type = T;
  static T from(T element) { return element; }
  static T to(T number) { return number; }
};

// What a target makes of its sources.
struct WindowMean {
  static constexpr bool kDivides = true;
  template <typename Number>
  static Number start() {
    return 0;
  }
  template <typename Number>
  static Number join(Number sum, Number number) {
    return sum + number;
  }
};
// A NaN is larger than every number.
struct WindowMaximum {
  static constexpr bool kDivides = false;
  template <typename Number>
  static Number start() {
    using Limits = std::numeric_limits<Number>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <typename Number>
  static Number join(Number maximum, Number number) {
    return (number > maximum) | (number != number) ? number : maximum;
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
