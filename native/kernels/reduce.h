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
#include <new>

#include "kernels/elementwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 16;
// Blocks that one thread sums, a power of two. With tiles there are more, to make good use of them.
constexpr int64_t kBranchBlocks = 16;
constexpr int64_t kTiledBranchBlocks = 128;

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

// The values of point(x, y) at positions of a loop, to be summed in blocks.
template <typename Real, typename Point>
class Values {
 public:
  Values(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y)
      : every_position_(row_major_view(shape, ACL_DT_UNDEFINED)),
        loop_(make_loop({&every_position_, &x, &y})),
        point_(point),
        inputs_{elementwise_detail::make_input<Real>(x), elementwise_detail::make_input<Real>(y)},
        tiled_(wants_tiles(loop_) && loop_.rank == 2 &&
               loop_.shape[0] <= kTiledBranchBlocks * kBlockElements) {}

  int64_t blocks() const { return (loop_.total + kBlockElements - 1) / kBlockElements; }

  // Any power of two gives the same sum, so the number of threads may have a say.
  int64_t branch_blocks() const {
    int64_t count = tiled_ ? kTiledBranchBlocks : kBranchBlocks;
    while (count > kBranchBlocks && count * thread_count() > blocks()) count /= 2;
    return count;
  }

  double sum_of_branch(int64_t branch) const {
    const int64_t begin = branch * branch_blocks();
    const int64_t end = std::min(blocks(), begin + branch_blocks());
    if (tiled_) {
      const Rows rows = rows_of(begin, end);
      const std::unique_ptr<Real[]> values(new (std::nothrow) Real[rows.count * loop_.shape[0]]);
      if (values) {
        compute(rows, values.get());
        const int64_t first = rows.first * loop_.shape[0];
        const auto leaf = [&](int64_t block) {
          return sum_block(values.get() + (block * kBlockElements - first), block_size(block));
        };
        return sum_tree(leaf, begin, end);
      }
    }
    return sum_tree([&](int64_t block) { return sum_where_it_lies(block); }, begin, end);
  }

 private:
  using Inputs = std::array<elementwise_detail::Input<Real>, 2>;
  struct Rows {
    int64_t first;
    int64_t count;
  };

  int64_t block_size(int64_t block) const {
    return std::min(kBlockElements, loop_.total - block * kBlockElements);
  }

  double sum_where_it_lies(int64_t block) const {
    alignas(64) Real buffers[2][kBlockElements];
    alignas(64) Real values[kBlockElements];
    const int64_t begin = block * kBlockElements, count = block_size(block);
    const Real* const in[] = {
        elementwise_detail::fetch(loop_, 1, inputs_[0], begin, count, buffers[0]),
        elementwise_detail::fetch(loop_, 2, inputs_[1], begin, count, buffers[1])};
    elementwise_detail::compute_block(point_, in, count, values, std::make_index_sequence<2>{});
    return sum_block(values, count);
  }

  // The rows that hold the positions of blocks [begin, end).
  Rows rows_of(int64_t begin, int64_t end) const {
    const int64_t length = loop_.shape[0];
    const int64_t first = begin * kBlockElements / length;
    const int64_t last = (std::min(end * kBlockElements, loop_.total) - 1) / length;
    return {first, last - first + 1};
  }

  // Rows in tiles, which an order of positions as sums need it does not allow: Note [Tiles].
  void compute(const Rows& rows, Real* values) const {
    StridedLoop part = loop_;
    part.shape[1] = rows.count;
    for (int k = 1; k < part.operands; ++k) part.start[k] += rows.first * part.strides[k][1];
    elementwise_detail::Output<Real> output;
    output.data = reinterpret_cast<char*>(values);
    output.item_size = sizeof(Real);
    output.holds_t = true;
    output.move = elementwise_detail::store_run<Real, Real>;
    const TiledLoop tiled = in_tiles(part);
    for (const StridedLoop* tiles : {&tiled.whole_tiles, &tiled.rest_of_rows}) {
      elementwise_detail::compute_blocks<Real>(*tiles, 0, tiles->total, point_, output, inputs_,
                                               false, std::make_index_sequence<2>{});
    }
  }

  const TensorView every_position_;
  const StridedLoop loop_;
  const Point& point_;
  const Inputs inputs_;
  const bool tiled_;
};

}  // namespace reduce_detail

// The sum of point(x, y) over a shape that x and y broadcast to; 0 if it has no elements.
template <typename T, typename Point>
double sum_of(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y) {
  const reduce_detail::Values<ComputeType<T>, Point> values(point, shape, x, y);
  if (values.blocks() == 0) return 0.0;
  // Full branches of a power of two of blocks are branches of the whole tree, too.
  const int64_t branches = (values.blocks() + values.branch_blocks() - 1) / values.branch_blocks();
  if (branches == 1) return values.sum_of_branch(0);
  const std::unique_ptr<double[]> sums(new double[branches]);
  parallel_for(branches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sums[i] = values.sum_of_branch(i);
  });
  return reduce_detail::sum_tree([&](int64_t branch) { return sums[branch]; }, 0, branches);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
