// SPDX-License-Identifier: Apache-2.0
#include "observe/runs.h"

#include <algorithm>

namespace aclhost {
namespace {

constexpr int64_t kMostRuns = 1 << 20;
constexpr int64_t kFarthest = int64_t{1} << 48;  // no address space is larger

struct Axis {
  int64_t size;
  int64_t stride;  // in bytes, positive
};

}  // namespace

std::vector<Run> runs_of(const Region& region) {
  auto start = reinterpret_cast<intptr_t>(region.start);
  std::vector<Axis> axes;
  for (size_t i = 0; i < region.shape.size(); ++i) {
    int64_t stride = 0, reach = 0;
    const bool absurd =
        __builtin_mul_overflow(region.strides[i], static_cast<int64_t>(region.item), &stride) ||
        __builtin_mul_overflow(region.shape[i], stride, &reach) || reach > kFarthest ||
        reach < -kFarthest;
    if (absurd) return {{reinterpret_cast<uintptr_t>(region.start), UINTPTR_MAX}};
    if (region.shape[i] == 1 || stride == 0) continue;
    if (stride < 0) start += (region.shape[i] - 1) * stride;
    axes.push_back({region.shape[i], stride < 0 ? -stride : stride});
  }
  std::sort(axes.begin(), axes.end(), [](Axis a, Axis b) { return a.stride < b.stride; });
  auto length = static_cast<int64_t>(region.item);
  size_t dense = 0;
  while (dense < axes.size() && axes[dense].stride <= length) {
    length += (axes[dense].size - 1) * axes[dense].stride;
    ++dense;
  }
  int64_t count = 1;
  int64_t reach = length;
  for (size_t i = dense; i < axes.size(); ++i) {
    count = std::min(count * axes[i].size, kMostRuns + 1);
    reach += (axes[i].size - 1) * axes[i].stride;
  }
  const auto run_at = [](intptr_t begin, int64_t size) {
    return Run{static_cast<uintptr_t>(begin), static_cast<uintptr_t>(begin + size)};
  };
  if (count > kMostRuns) return {run_at(start, length), run_at(start + reach - length, length)};
  std::vector<intptr_t> begins{start};
  for (size_t i = dense; i < axes.size(); ++i) {
    const size_t known = begins.size();
    for (int64_t k = 1; k < axes[i].size; ++k) {
      for (size_t j = 0; j < known; ++j) begins.push_back(begins[j] + k * axes[i].stride);
    }
  }
  std::sort(begins.begin(), begins.end());
  std::vector<Run> runs;
  for (const intptr_t begin : begins) {
    const Run run = run_at(begin, length);
    if (!runs.empty() && run.begin <= runs.back().end) {
      runs.back().end = std::max(runs.back().end, run.end);
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

bool intersect(const std::vector<Run>& a, const std::vector<Run>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].begin < b[j].end && b[j].begin < a[i].end) return true;
    (a[i].end < b[j].end ? i : j) += 1;
  }
  return false;
}

}  // namespace aclhost
