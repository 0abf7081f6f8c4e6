// SPDX-License-Identifier: Apache-2.0
// Sums over any views.
//
// Note [The order of sums]
// It follows from the shape alone: neither strides nor threads nor instruction sets matter. The
// last dimensions make a row, as few of them as hold kLeastRow positions. Rows are cut in parts of
// kPartLength, and kTileRows rows' parts make a tile. A part is summed in kSumLanes interleaved
// lanes, so that a row may lie in memory as vectors; parts of one tile do not meet before they are
// summed, so that vectors may as well lie across them. Then lanes, parts of a tile, and tiles are
// added as binary trees.
//
// Every value is rounded to the compute type, as the element-wise operators have it, and added in
// double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/elementwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 32;
constexpr int64_t kLeastRow = 128;
constexpr int64_t kPartLength = 4096;  // and what is less than kSumLanes, at the end of a row
constexpr int kTileRows = 16;
constexpr int64_t kStagedColumns = 256;  // of rows that are transposed before they are summed

namespace reduce_detail {

inline void add_to(Vector<double>* sums, Vector<double> values) { *sums += values; }
inline void add_to(Vector<double>* sums, Vector<float> values) {
  sums[0] += low_doubles(values);
  sums[1] += high_doubles(values);
}

// What a vector of values becomes in double.
template <typename T>
constexpr int kSumVectors = kLanes<ComputeType<T>> / kLanes<double>;

// Halves are added until one number is left.
inline double fold(double* numbers, int count) {
  for (int half = count / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) numbers[i] += numbers[i + half];
  }
  return numbers[0];
}

// What is left of a row's part after the last full step of lanes, with zeros before it.
template <typename T>
struct LastStep {
  LastStep(const T* end, int64_t rest) {
    std::memcpy(elements + kSumLanes - rest, end - rest, rest * sizeof(T));
  }
  T elements[kSumLanes] = {};
};

// The sums of a row's part in lanes, where the row lies in memory.
template <typename T>
class LaneSums {
 public:
  // Only the last elements of a part may be no multiple of kSumLanes.
  template <typename Point>
  __attribute__((flatten)) void add(const Point& point, int64_t count, const T* x, const T* y) {
    const Point own_point = point;  // on the stack, what they hold stays in registers
    LaneSums own = *this;
    int64_t i = 0;
    for (; i + kSumLanes <= count; i += kSumLanes) own.add_step(own_point, x + i, y + i);
    if (i < count) {
      // Zeros make zeros, unless everything is NaN.
      const LastStep<T> last_x(x + count, count - i), last_y(y + count, count - i);
      own.add_step(own_point, last_x.elements, last_y.elements);
    }
    *this = own;
  }

  double total() const {
    double lanes[kSumLanes];
    for (int k = 0; k < kPairs; ++k) {
      for (int lane = 0; lane < kPair / 2; ++lane) {
        const int vector = lane / kLanes<double>, place = lane % kLanes<double>;
        lanes[k * kPair + place_of_first<T>(lane)] = sums_[k].first[vector][place];
        lanes[k * kPair + place_of_second<T>(lane)] = sums_[k].second[vector][place];
      }
    }
    return fold(lanes, kSumLanes);
  }

 private:
  static constexpr int kPair = 2 * kLanes<ComputeType<T>>;
  static constexpr int kPairs = kSumLanes / kPair;

  template <typename Point>
  void add_step(const Point& point, const T* x, const T* y) {
    for (int k = 0; k < kPairs; ++k) {
      const Pair<T> xs = load_pair(x + k * kPair), ys = load_pair(y + k * kPair);
      add_to(sums_[k].first, point(xs.first, ys.first));
      add_to(sums_[k].second, point(xs.second, ys.second));
    }
  }

  struct {
    Vector<double> first[kSumVectors<T>];
    Vector<double> second[kSumVectors<T>];
  } sums_[kPairs] = {};
};

// The sums of as many rows' parts as a vector has lanes, where columns lie in memory.
template <typename T, typename Point>
__attribute__((flatten)) void sum_across(const Point& point, int64_t count, const Columns<T>& x,
                                         const Columns<T>& y, double* sums) {
  constexpr int kTogether = kLanes<double>;  // lanes whose sums fit into the registers
  const Point own_point = point;
  Vector<double> lanes[kSumLanes][kSumVectors<T>] = {};
  const auto value = [&](int64_t column) {
    return own_point(load_widened(x.first + column * x.step),
                     load_widened(y.first + column * y.step));
  };
  for (int lane = 0; lane < kSumLanes; lane += kTogether) {
    Vector<double> own_lanes[kTogether][kSumVectors<T>] = {};
    for (int64_t i = lane; i - lane + kSumLanes <= count; i += kSumLanes) {
      for (int k = 0; k < kTogether; ++k) add_to(own_lanes[k], value(i + k));
    }
    std::memcpy(lanes[lane], own_lanes, sizeof own_lanes);
  }
  const int64_t before_last = count - kSumLanes;
  for (int64_t i = count / kSumLanes * kSumLanes; i < count; ++i) {
    add_to(lanes[i - before_last], value(i));
  }
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) {
      for (int k = 0; k < kSumVectors<T>; ++k) lanes[lane][k] += lanes[lane + half][k];
    }
  }
  std::memcpy(sums, lanes[0], sizeof lanes[0]);
}

// The sum of leaves [begin, end); the left branch holds a power of two of them.
template <typename Leaf>
double sum_tree(const Leaf& leaf, int64_t begin, int64_t end) {
  if (end - begin == 1) return leaf(begin);
  int64_t left = 1;
  while (left * 2 < end - begin) left *= 2;
  return sum_tree(leaf, begin, begin + left) + sum_tree(leaf, begin + left, end);
}

inline int64_t row_length(const Shape& shape) {
  int64_t length = 1;
  for (int i = shape.rank - 1; i >= 0 && length < kLeastRow; --i) length *= shape.dims[i];
  return length;
}

// The values of point(x, y), to be summed in tiles.
template <typename T, typename Point>
class Values {
 public:
  Values(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y)
      : every_position_(row_major_view(shape, ACL_DT_UNDEFINED)),
        loop_(make_loop({&every_position_, &x, &y})),
        point_(point),
        x_(operands::make_input<T>(x)),
        y_(operands::make_input<T>(y)),
        row_length_(row_length(shape)),
        rows_(loop_.total > 0 ? loop_.total / row_length_ : 0),
        parts_(std::max<int64_t>(1, (row_length_ + kPartLength - kSumLanes) / kPartLength)) {}

  int64_t positions() const { return loop_.total; }
  int64_t tiles() const { return (rows_ + kTileRows - 1) / kTileRows * parts_; }

  double sum_of_tile(int64_t number) const {
    const int64_t row = number / parts_ * kTileRows, column = number % parts_ * kPartLength;
    const bool is_last = number % parts_ == parts_ - 1;
    const Tile tile = {row, std::min<int64_t>(kTileRows, rows_ - row), column,
                       is_last ? row_length_ - column : kPartLength};
    double sums[kTileRows];
    const bool x_across = lies_across(1, x_, tile), y_across = lies_across(2, y_, tile);
    if (x_across && y_across && loop_.shape[1] >= kTileRows) {
      sum_columns(tile, sums);
    } else {
      sum_rows(tile, x_across, y_across, sums);
    }
    return sum_tree([&](int64_t i) { return sums[i]; }, 0, tile.rows);
  }

 private:
  struct Tile {
    int64_t row, rows;
    int64_t column, columns;
  };

  bool lies_across(int operand, const operands::Input<T>& input, const Tile& tile) const {
    return loop_.shape[0] == row_length_ && loop_.shape[0] > 1 &&
           operands::lies_across(loop_, operand, input, tile.row * row_length_,
                                 tile.rows * row_length_);
  }

  // Vectors of rows; the last one may reach back to rows that are not the tile's.
  void sum_columns(const Tile& tile, double* sums) const {
    constexpr int64_t kRows = kLanes<ComputeType<T>>;
    const int64_t rows_left = loop_.shape[1] - tile.row % loop_.shape[1];
    for (int64_t done = 0; done < tile.rows; done += kRows) {
      const int64_t back = std::max<int64_t>(0, done + kRows - rows_left);
      const int64_t begin = (tile.row + done - back) * row_length_ + tile.column;
      double found[kRows];
      sum_across(point_, tile.columns, operands::columns_of(loop_, 1, x_, begin),
                 operands::columns_of(loop_, 2, y_, begin), found);
      std::copy_n(found + back, std::min(kRows - back, tile.rows - done), sums + done);
    }
  }

  void sum_rows(const Tile& tile, bool x_across, bool y_across, double* sums) const {
    alignas(64) T buffers[2][kTileRows * (kStagedColumns + kSumLanes)];
    static_assert(sizeof buffers[0] / sizeof(T) >= kPartLength + kSumLanes, "a part fits in");
    const int64_t usual = x_across || y_across ? kStagedColumns : kPartLength;
    LaneSums<T> lanes[kTileRows];
    for (int64_t done = 0, count; done < tile.columns; done += count) {
      const int64_t left = tile.columns - done;
      count = left < usual + kSumLanes ? left : usual;
      const int64_t begin = tile.row * row_length_ + tile.column + done;
      if (x_across) turn(1, x_, begin, tile.rows, count, buffers[0]);
      if (y_across) turn(2, y_, begin, tile.rows, count, buffers[1]);
      for (int64_t row = 0; row < tile.rows; ++row) {
        const int64_t at = begin + row * row_length_;
        lanes[row].add(point_, count,
                       x_across ? buffers[0] + row * count
                                : operands::fetch(loop_, 1, x_, at, count, buffers[0]),
                       y_across ? buffers[1] + row * count
                                : operands::fetch(loop_, 2, y_, at, count, buffers[1]));
      }
    }
    for (int64_t row = 0; row < tile.rows; ++row) sums[row] = lanes[row].total();
  }

  void turn(int operand, const operands::Input<T>& input, int64_t begin, int64_t rows,
            int64_t columns, T* to) const {
    transpose(operands::columns_of(loop_, operand, input, begin), rows, columns, to);
  }

  const TensorView every_position_;
  const StridedLoop loop_;
  const Point& point_;
  const operands::Input<T> x_;
  const operands::Input<T> y_;
  const int64_t row_length_;
  const int64_t rows_;
  const int64_t parts_;  // of a row
};

}  // namespace reduce_detail

// The sum of point(x, y) over a shape that x and y broadcast to; 0 if it has no elements.
// point(0, 0) must be 0, or NaN with all others.
template <typename T, typename Point>
double sum_of(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y) {
  const reduce_detail::Values<T, Point> values(point, shape, x, y);
  const int64_t tiles = values.tiles();
  if (tiles == 0) return 0.0;
  if (tiles == 1) return values.sum_of_tile(0);
  const auto sum_of_tile = [&](int64_t tile) { return values.sum_of_tile(tile); };
  if (values.positions() <= kParallelElements) {
    return reduce_detail::sum_tree(sum_of_tile, 0, tiles);
  }
  const std::unique_ptr<double[]> sums(new double[tiles]);
  parallel_for(tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sums[i] = sum_of_tile(i);
  });
  return reduce_detail::sum_tree([&](int64_t tile) { return sums[tile]; }, 0, tiles);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
