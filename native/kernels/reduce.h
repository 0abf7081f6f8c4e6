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
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "kernels/elementwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 32;
// What one thread sums, a power of two of blocks. Of rows that are gathered it is at least so many
// that the cache lines they share are used up.
constexpr int64_t kBranchBlocks = 16;
constexpr int64_t kMostBranchBlocks = 128;
constexpr int64_t kGatheredRows = 16;

namespace reduce_detail {

// The sums of positions with the same remainder by kSumLanes.
template <typename T>
class LaneSums {
 public:
  template <typename Point, typename... In>
  void add_step(const Point& point, const In*... in) {
    for (int k = 0; k < kPairs; ++k) add_pair(point, k * kVectors, load_pair(in + k * kPair)...);
  }

  void store(double* lanes) const {
    double firsts[kSumLanes / 2], seconds[kSumLanes / 2];
    std::memcpy(firsts, firsts_, sizeof firsts);
    std::memcpy(seconds, seconds_, sizeof seconds);
    for (int k = 0; k < kPairs; ++k) {
      for (int lane = 0; lane < kPair / 2; ++lane) {
        lanes[k * kPair + place_of_first<T>(lane)] = firsts[k * kPair / 2 + lane];
        lanes[k * kPair + place_of_second<T>(lane)] = seconds[k * kPair / 2 + lane];
      }
    }
  }

 private:
  static constexpr int kPair = 2 * kLanes<ComputeType<T>>;
  static constexpr int kPairs = kSumLanes / kPair;
  static constexpr int kVectors = kPair / 2 / kLanes<double>;  // of double, for one of a pair

  template <typename Point, typename... Pairs>
  void add_pair(const Point& point, int at, const Pairs&... pairs) {
    add(point(pairs.first...), firsts_ + at);
    add(point(pairs.second...), seconds_ + at);
  }
  static void add(Vector<double> values, Vector<double>* sums) { *sums += values; }
  static void add(Vector<float> values, Vector<double>* sums) {
    sums[0] += low_doubles(values);
    sums[1] += high_doubles(values);
  }

  Vector<double> firsts_[kPairs * kVectors] = {};
  Vector<double> seconds_[kPairs * kVectors] = {};
};

// Less than a step of elements, and zeros.
template <typename T>
struct Padded {
  Padded(const T* from, int64_t count) { std::memcpy(elements, from, count * sizeof(T)); }
  T elements[kSumLanes] = {};
};

// The sum of point(in...) over a block.
template <typename T, typename Point, typename... More>
__attribute__((flatten)) double sum_block(const Point& point, int64_t count, const T* first,
                                          const More*... more) {
  const Point own_point = point;  // on the stack, what it holds stays in registers
  LaneSums<T> sums;
  int64_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) sums.add_step(own_point, first + i, more + i...);
  double lanes[kSumLanes];
  sums.store(lanes);
  if (i < count) {
    LaneSums<T> last;
    last.add_step(own_point, Padded<T>(first + i, count - i).elements,
                  Padded<T>(more + i, count - i).elements...);
    double values[kSumLanes];
    last.store(values);
    for (int lane = 0; lane < count - i; ++lane) lanes[lane] += values[lane];
  }
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

// A matrix of point(x, y), for transpose().
template <typename T, typename Point>
struct PointsOf {
  Columns<T> x;
  Columns<T> y;
  Point point;

  T element(int64_t row, int64_t column) const {
    using V = Vector<T, kSquareSide<T>>;
    return point(splat<V>(x.element(row, column)), splat<V>(y.element(row, column)))[0];
  }
  template <int squares>
  auto load(int64_t row, int64_t column) const {
    using V = Vector<T, squares * kSquareSide<T>>;
    const V value = point(bit_cast<V>(x.template load<squares>(row, column)),
                          bit_cast<V>(y.template load<squares>(row, column)));
    return bit_cast<UnsignedOf<V>>(value);
  }
};

// The values of point(x, y) at positions of a loop, to be summed in blocks.
template <typename T, typename Point>
class Values {
 public:
  Values(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y)
      : every_position_(row_major_view(shape, ACL_DT_UNDEFINED)),
        loop_(make_loop({&every_position_, &x, &y})),
        point_(point),
        x_(operands::make_input<T>(x)),
        y_(operands::make_input<T>(y)),
        gathers_(wants_tiles(loop_) && loop_.rank == 2 &&
                 loop_.shape[0] <= kMostBranchBlocks * kBlockElements) {}

  int64_t blocks() const { return (loop_.total + kBlockElements - 1) / kBlockElements; }

  // Any power of two gives the same sum.
  int64_t branch_blocks() const {
    int64_t count = kBranchBlocks;
    const int64_t wanted = gathers_ ? kGatheredRows * loop_.shape[0] / kBlockElements : 0;
    while (count < wanted && count < kMostBranchBlocks) count *= 2;
    return count;
  }

  double sum_of_branch(int64_t branch) const {
    const int64_t begin = branch * branch_blocks();
    const int64_t end = std::min(blocks(), begin + branch_blocks());
    if (gathers_) {
      const Rows rows = rows_of(begin, end);
      const std::unique_ptr<T[]> memory(new (std::nothrow) T[2 * rows.elements]);
      if (memory) return sum_of_rows(rows, begin, end, memory.get());
    }
    return sum_tree([&](int64_t block) { return sum_where_it_lies(block); }, begin, end);
  }

 private:
  struct Rows {
    int64_t first;  // the position it begins at
    int64_t elements;
  };

  int64_t block_size(int64_t block) const {
    return std::min(kBlockElements, loop_.total - block * kBlockElements);
  }

  double sum_where_it_lies(int64_t block) const {
    alignas(64) T buffers[2][kBlockElements];
    const int64_t begin = block * kBlockElements, count = block_size(block);
    const T* const x = operands::fetch(loop_, 1, x_, begin, count, buffers[0]);
    const T* const y = operands::fetch(loop_, 2, y_, begin, count, buffers[1]);
    return sum_block(point_, count, x, y);
  }

  // The rows that hold the positions of blocks [begin, end).
  Rows rows_of(int64_t begin, int64_t end) const {
    const int64_t length = loop_.shape[0];
    const int64_t first = begin * kBlockElements / length;
    const int64_t last = (std::min(end * kBlockElements, loop_.total) - 1) / length;
    return {first * length, (last - first + 1) * length};
  }

  // Many rows at once: each alone would take an element of every cache line, and so would the next.
  double sum_of_rows(const Rows& rows, int64_t begin, int64_t end, T* memory) const {
    const auto sum = [&](const auto& point, const auto*... in) {
      const auto leaf = [&](int64_t block) {
        const int64_t from = block * kBlockElements - rows.first;
        return sum_block(point, block_size(block), in + from...);
      };
      return sum_tree(leaf, begin, end);
    };
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      if (lies_across(1, x_, rows) && lies_across(2, y_, rows)) {
        const PointsOf<T, Point> points{operands::columns_of(loop_, 1, x_, rows.first),
                                        operands::columns_of(loop_, 2, y_, rows.first), point_};
        transpose(points, rows.elements / loop_.shape[0], loop_.shape[0], memory);
        return sum([](auto value) { return value; }, memory);
      }
    }
    const T* const x = operands::fetch(loop_, 1, x_, rows.first, rows.elements, memory);
    const T* const y =
        operands::fetch(loop_, 2, y_, rows.first, rows.elements, memory + rows.elements);
    return sum(point_, x, y);
  }

  bool lies_across(int operand, const operands::Input<T>& input, const Rows& rows) const {
    return operands::lies_across(loop_, operand, input, rows.first, rows.elements);
  }

  const TensorView every_position_;
  const StridedLoop loop_;
  const Point& point_;
  const operands::Input<T> x_;
  const operands::Input<T> y_;
  const bool gathers_;
};

}  // namespace reduce_detail

// The sum of point(x, y) over a shape that x and y broadcast to; 0 if it has no elements.
template <typename T, typename Point>
double sum_of(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y) {
  const reduce_detail::Values<T, Point> values(point, shape, x, y);
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
