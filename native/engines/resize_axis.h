// SPDX-License-Identifier: Apache-2.0
// One axis that is resized: which elements of the source a target is made of, and their weights.
//
// Places and weights are float32 as written, rounding errors included: results depend on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class Filter {
  kLinear,        // two neighbours
  kCubic,         // four neighbours
  kSmoothLinear,  // all that lie under the filter, which widens where the axis shrinks
  kSmoothCubic,
};

struct ResizeAxis {
  Filter filter;
  bool align_corners;
  int64_t sources;
  int64_t targets;
  float step;  // sources per target

  // An axis that keeps its length changes nothing.
  bool is_same() const { return sources == targets; }
};

// A scale (targets per source) counts where it is above 0 and corners are not aligned.
inline ResizeAxis make_axis(Filter filter, bool align_corners, double scale, int64_t sources,
                            int64_t targets) {
  ResizeAxis axis = {filter, align_corners, sources, targets, 1};
  if (axis.is_same()) return axis;
  const auto quotient = [](int64_t a, int64_t b) {
    return static_cast<float>(a) / static_cast<float>(b);
  };
  if (align_corners) {
    axis.step = targets > 1 ? quotient(sources - 1, targets - 1) : 0;
  } else {
    axis.step = scale > 0 ? static_cast<float>(1.0 / scale) : quotient(sources, targets);
  }
  return axis;
}

// The sources [first, end) of a target, and where its middle lies among them.
struct TapWindow {
  int64_t first;
  int64_t end;
  float middle;
};

namespace resize_detail {

inline int64_t within(float place, int64_t least, int64_t most) {
  if (!(place > static_cast<float>(least))) return least;
  return place < static_cast<float>(most) ? static_cast<int64_t>(place) : most;
}

inline bool is_smooth(const ResizeAxis& axis) { return axis.filter >= Filter::kSmoothLinear; }

// By how much the filter is widened.
inline float widening(const ResizeAxis& axis) { return axis.step >= 1 ? axis.step : 1; }

inline TapWindow smooth_window(const ResizeAxis& axis, int64_t target) {
  const float reach = axis.filter == Filter::kSmoothCubic ? 2.0f : 1.0f;
  const float support = reach * widening(axis);
  const float middle = axis.step * (static_cast<float>(target) + 0.5f);
  const int64_t first = within(std::floor(middle + (0.5f - support)), 0, axis.sources);
  const int64_t end = within(std::floor(middle + (0.5f + support)), first, axis.sources);
  return {first, end, middle};
}

// The cubic convolution, for distances below 1 and for those from 1 to 2.
inline float cubic_near(float x, float a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
inline float cubic_far(float x, float a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

inline float smooth_weight(const ResizeAxis& axis, float distance) {
  const float x = std::abs(distance);
  if (axis.filter == Filter::kSmoothLinear) return x < 1 ? 1 - x : 0;
  return x < 1 ? cubic_near(x, -0.5f) : x < 2 ? cubic_far(x, -0.5f) : 0;
}

template <typename Emit>
void for_each_smooth_tap(const ResizeAxis& axis, const TapWindow& window, const Emit& emit) {
  const float narrowing = axis.step >= 1 ? 1 / axis.step : 1;
  const float lead = static_cast<float>(window.first) - window.middle + 0.5f;
  const int64_t count = window.end - window.first;
  const auto weight = [&](int64_t i) {
    return smooth_weight(axis, (static_cast<float>(i) + lead) * narrowing);
  };
  float total = 0;
  for (int64_t i = 0; i < count; ++i) total += weight(i);
  if (total == 0) return;
  for (int64_t i = 0; i < count; ++i) emit(window.first + i, weight(i) / total);
}

template <typename Emit>
void for_each_cubic_tap(const ResizeAxis& axis, float middle, const Emit& emit) {
  const float base = std::floor(middle), x = middle - base;
  const float weights[] = {cubic_far(x + 1, -0.75f), cubic_near(x, -0.75f),
                           cubic_near(1 - x, -0.75f), cubic_far(2 - x, -0.75f)};
  for (int i = 0; i < 4; ++i) {
    emit(within(base + static_cast<float>(i - 1), 0, axis.sources - 1), weights[i]);
  }
}

}  // namespace resize_detail

// Neither end of the window moves back from one target to the next.
inline TapWindow tap_window(const ResizeAxis& axis, int64_t target) {
  namespace detail = resize_detail;
  if (axis.is_same()) return {target, target + 1, 0};
  if (detail::is_smooth(axis)) return detail::smooth_window(axis, target);
  const float place = static_cast<float>(target);
  const int64_t last = axis.sources - 1;
  float middle = axis.align_corners ? axis.step * place : axis.step * (place + 0.5f) - 0.5f;
  if (axis.filter == Filter::kLinear) {
    middle = std::max(middle, 0.0f);
    const int64_t first = detail::within(middle, 0, last);
    return {first, std::min(first + 2, axis.sources), middle};
  }
  const float base = std::floor(middle);
  return {detail::within(base - 1, 0, last), detail::within(base + 2, 0, last) + 1, middle};
}

// Calls emit(source, weight) for what a target is made of. A weight of 0 does not count: beside it
// stands nothing, not even infinity.
template <typename Emit>
void for_each_tap(const ResizeAxis& axis, int64_t target, const Emit& emit) {
  const auto put = [&](int64_t source, float weight) {
    if (weight != 0) emit(source, weight);
  };
  const TapWindow window = tap_window(axis, target);
  if (axis.is_same()) {
    emit(target, 1.0f);
  } else if (resize_detail::is_smooth(axis)) {
    resize_detail::for_each_smooth_tap(axis, window, put);
  } else if (axis.filter == Filter::kCubic) {
    resize_detail::for_each_cubic_tap(axis, window.middle, put);
  } else if (window.end - window.first == 1) {
    put(window.first, 1);
  } else {
    const float second = std::clamp(window.middle - static_cast<float>(window.first), 0.0f, 1.0f);
    put(window.first, 1 - second);
    put(window.first + 1, second);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
