// SPDX-License-Identifier: Apache-2.0
// Sums over any views.
//
// Every value is rounded to the compute type, as the element-wise operators have it, and added in
// double. Positions count in row-major order of the shape. Blocks of kBlockElements of them are
// summed in kSumLanes interleaved lanes, then blocks are added as a binary tree. Both are fixed by
// the number of positions alone: neither strides nor the threads that get the branches matter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/elementwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 16;
constexpr int64_t kBranchBlocks = 64;  // summed by one thread; a power of two

namespace reduce_detail {

template <typename Real>
double sum_block(const Real* values, int64_t count) {
  double lanes[kSumLanes] = {};
  int64_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    for (int lane = 0; lane < kSumLanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += values[i];
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

// The sum of blocks [begin, end); the left branch holds a power of two of them.
template <typename Leaf>
double sum_tree(const Leaf& leaf, int64_t begin, int64_t end) {
  if (end - begin == 1) return leaf(begin);
  int64_t left = 1;
  while (left * 2 < end - begin) left *= 2;
  return sum_tree(leaf, begin, begin + left) + sum_tree(leaf, begin + left, end);
}

}  // namespace reduce_detail

// The sum of point(x, y) over a shape that x and y broadcast to; 0 if it has no elements.
template <typename T, typename Point>
double sum_of(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y) {
  const TensorView every_position = row_major_view(shape, ACL_DT_UNDEFINED);
  const StridedLoop loop = make_loop({&every_position, &x, &y});
  using Real = ComputeType<T>;
  const auto first = elementwise_detail::make_input<Real>(x);
  const auto second = elementwise_detail::make_input<Real>(y);
  const auto leaf = [&](int64_t block) {
    alignas(64) Real first_buffer[kBlockElements];
    alignas(64) Real second_buffer[kBlockElements];
    alignas(64) Real values[kBlockElements];
    const int64_t begin = block * kBlockElements;
    const int64_t count = std::min(kBlockElements, loop.total - begin);
    const Real* const in[] = {
        elementwise_detail::fetch(loop, 1, first, begin, count, first_buffer),
        elementwise_detail::fetch(loop, 2, second, begin, count, second_buffer)};
    elementwise_detail::compute_block(point, in, count, values, std::make_index_sequence<2>{});
    return reduce_detail::sum_block(values, count);
  };
  const int64_t blocks = (loop.total + kBlockElements - 1) / kBlockElements;
  if (blocks == 0) return 0.0;
  // Full branches of a power of two of blocks are branches of the whole tree, too.
  const int64_t branches = (blocks + kBranchBlocks - 1) / kBranchBlocks;
  const std::unique_ptr<double[]> sums(new double[branches]);
  parallel_for(branches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sums[i] = reduce_detail::sum_tree(leaf, i * kBranchBlocks,
                                        std::min(blocks, (i + 1) * kBranchBlocks));
    }
  });
  return reduce_detail::sum_tree([&](int64_t branch) { return sums[branch]; }, 0, branches);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
