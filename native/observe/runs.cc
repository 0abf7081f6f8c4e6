// SPDX-License-Identifier: Apache-2.0
#include "observe/runs.h"

#include <algorithm>
#include <utility>

namespace aclhost {
namespace {

constexpr int64_t kMostRuns = 1 << 20;
constexpr int64_t kFarthest = int64_t{1} << 48;  // no address space is larger

struct Axis {
  int64_t size;
  int64_t stride;  // in bytes, positive
};

// Runs of one length at steps along axes, from a first address on.
struct Steps {
  intptr_t start;
  int64_t length;
  std::vector<Axis> axes;
};

Runs make_runs(std::vector<Run> list, bool exact) {
  return {std::make_shared<const std::vector<Run>>(std::move(list)), exact};
}

// False for strides that no address space holds.
bool find_steps(const Region& region, Steps* steps) {
  steps->start = reinterpret_cast<intptr_t>(region.start);
  std::vector<Axis> axes;
  for (size_t i = 0; i < region.shape.size(); ++i) {
    int64_t stride = 0, reach = 0;
    const bool absurd =
        __builtin_mul_overflow(region.strides[i], static_cast<int64_t>(region.item), &stride) ||
        __builtin_mul_overflow(region.shape[i], stride, &reach) || reach > kFarthest ||
        reach < -kFarthest;
    if (absurd) return false;
    if (region.shape[i] == 1 || stride == 0) continue;
    if (stride < 0) steps->start += (region.shape[i] - 1) * stride;
    axes.push_back({region.shape[i], stride < 0 ? -stride : stride});
  }
  std::sort(axes.begin(), axes.end(), [](Axis a, Axis b) { return a.stride < b.stride; });
  steps->length = static_cast<int64_t>(region.item);
  size_t dense = 0;
  while (dense < axes.size() && axes[dense].stride <= steps->length) {
    steps->length += (axes[dense].size - 1) * axes[dense].stride;
    ++dense;
  }
  steps->axes.assign(axes.begin() + static_cast<int64_t>(dense), axes.end());
  return true;
}

bool too_many(const Steps& steps) {
  int64_t count = 1;
  for (const Axis& axis : steps.axes) {
    if (axis.size > kMostRuns) return true;
    count *= axis.size;
    if (count > kMostRuns) return true;
  }
  return false;
}

Run run_at(intptr_t begin, int64_t size) {
  return {static_cast<uintptr_t>(begin), static_cast<uintptr_t>(begin + size)};
}

Runs both_ends(const Steps& steps) {
  intptr_t last = steps.start;
  for (const Axis& axis : steps.axes) last += (axis.size - 1) * axis.stride;
  return make_runs({run_at(steps.start, steps.length), run_at(last, steps.length)}, false);
}

}  // namespace

Runs runs_of(const Region& region) {
  Steps steps;
  if (!find_steps(region, &steps)) {
    return make_runs({{reinterpret_cast<uintptr_t>(region.start), UINTPTR_MAX}}, false);
  }
  if (too_many(steps)) return both_ends(steps);
  std::vector<intptr_t> begins{steps.start};
  for (const Axis& axis : steps.axes) {
    const size_t known = begins.size();
    for (int64_t k = 1; k < axis.size; ++k) {
      for (size_t j = 0; j < known; ++j) begins.push_back(begins[j] + k * axis.stride);
    }
  }
  std::sort(begins.begin(), begins.end());
  std::vector<Run> runs;
  for (const intptr_t begin : begins) {
    const Run run = run_at(begin, steps.length);
    if (!runs.empty() && run.begin <= runs.back().end) {
      runs.back().end = std::max(runs.back().end, run.end);
    } else {
      runs.push_back(run);
    }
  }
  return make_runs(std::move(runs), true);
}

bool overlaps_itself(const Region& region, const Runs& runs) {
  double bytes = static_cast<double>(region.item);
  for (size_t i = 0; i < region.shape.size(); ++i) {
    if (region.shape[i] > 1 && region.strides[i] == 0) return true;
    bytes *= static_cast<double>(region.shape[i]);
  }
  if (!runs.exact) return false;
  double distinct = 0;
  for (const Run& run : runs.list()) distinct += static_cast<double>(run.end - run.begin);
  return bytes > distinct;
}

bool intersect(const std::vector<Run>& a, const std::vector<Run>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].begin < b[j].end && b[j].begin < a[i].end) return true;
    (a[i].end < b[j].end ? i : j) += 1;
  }
  return false;
}

}  // namespace aclhost
