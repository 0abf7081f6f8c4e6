// SPDX-License-Identifier: Apache-2.0
#include "engines/resize_taps.h"

#include <algorithm>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The first target for which `reached` holds, as it then does for all after it.
template <typename Reached>
int64_t first_target(const ResizeAxis& axis, const Reached& reached) {
  int64_t low = 0, high = axis.targets;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (reached(tap_window(axis, middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

bool Taps::set(const ResizeAxis& axis, bool gradient, int64_t begin, int64_t end) {
  results_ = end - begin;
  if (!starts.reserve(results_ + 2)) return false;
  std::fill_n(starts.data(), results_ + 2, 0);
  return gradient ? set_gradient(axis, begin) : set_forward(axis, begin);
}

void Taps::add_up_counts() {
  most_ = 0;
  for (int64_t k = 1; k <= results_; ++k) {
    most_ = std::max(most_, starts[k]);
    starts[k] += starts[k - 1];
  }
}

bool Taps::set_forward(const ResizeAxis& axis, int64_t begin) {
  for (int64_t k = 0; k < results_; ++k) {
    for_each_tap(axis, begin + k, [&](int64_t, float) { ++starts[k + 1]; });
  }
  add_up_counts();
  if (!places.reserve(total()) || !weights.reserve(total())) return false;
  int64_t next = 0;
  for (int64_t k = 0; k < results_; ++k) {
    for_each_tap(axis, begin + k, [&](int64_t source, float weight) {
      places[next] = source;
      weights[next++] = weight;
    });
  }
  first_ = tap_window(axis, begin).first;
  end_ = std::max(tap_window(axis, begin + results_ - 1).end, first_);
  return true;
}

bool Taps::set_gradient(const ResizeAxis& axis, int64_t begin) {
  const int64_t end = begin + results_;
  first_ = first_target(axis, [&](const TapWindow& window) { return window.end > begin; });
  end_ = first_target(axis, [&](const TapWindow& window) { return window.first >= end; });
  end_ = std::max(end_, first_);
  const auto for_each = [&](const auto& visit) {
    for (int64_t target = first_; target < end_; ++target) {
      for_each_tap(axis, target, [&](int64_t source, float weight) {
        if (source >= begin && source < end) visit(source - begin, target, weight);
      });
    }
  };
  for_each([&](int64_t k, int64_t, float) { ++starts[k + 1]; });
  add_up_counts();
  if (!places.reserve(total()) || !weights.reserve(total())) return false;
  // While they are filled, starts stand where the next tap goes: one too far in the end.
  for_each([&](int64_t k, int64_t target, float weight) {
    places[starts[k]] = target;
    weights[starts[k]++] = weight;
  });
  std::copy_backward(starts.data(), starts.data() + results_, starts.data() + results_ + 1);
  starts[0] = 0;
  return true;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
