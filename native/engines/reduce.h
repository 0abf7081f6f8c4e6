// SPDX-License-Identifier: Apache-2.0
// Sums over any views.
//
// Note [Order of reductions]
// It follows from the shape alone: neither strides nor threads nor instruction sets matter. The
// last dimensions make a row, as few of them as hold kLeastRow positions; rows are cut in parts of
// kPartLength. A part is summed in kSumLanes interleaved lanes, so that a row may lie in memory as
// vectors. Parts do not meet before they are summed, so that vectors may as well lie across rows.
// Lanes, and then parts in the order of positions, are added as binary trees.
//
// Every value is rounded to the compute type, as the element-wise operators have it, and added in
// double. Of 16-bit types kStepsTogether values of a lane are added in float first: what that loses
// is about a thousandth of what the rounding of the result may.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "engines/elementwise.h"
#include "engines/lane_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kLeastRow = 64;
constexpr int64_t kPartLength = 4096;    // and what is less than kSumLanes, at the end of a row
constexpr int64_t kTurnedColumns = 128;  // of a tile that are transposed at once

namespace reduce_detail {

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
        parts_(std::max<int64_t>(1, (row_length_ + kPartLength - kSumLanes) / kPartLength)) {
    while (branch_ < kTileRows && branch_ * row_length_ < kPartLength) branch_ *= 2;
    const bool may_lie_across = loop_.rank > 1 && loop_.shape[0] == row_length_ &&
                                (loop_.strides[1][1] == 1 || loop_.strides[2][1] == 1);
    tile_rows_ = may_lie_across ? kTileRows : branch_;
  }

  int64_t positions() const { return loop_.total; }
  int64_t tiles() const { return (rows_ + tile_rows_ - 1) / tile_rows_ * parts_; }
  // Branches of the tree that a single tile makes.
  int64_t branches() const { return (rows_ * parts_ + branch_ - 1) / branch_; }

  void sum_tile(int64_t number, double* branches) const {
    const int64_t part = number % parts_, row = number / parts_ * tile_rows_;
    const int64_t column = part * kPartLength;
    const Tile tile = {row, std::min(tile_rows_, rows_ - row), column,
                       part == parts_ - 1 ? row_length_ - column : kPartLength};
    double sums[kTileRows];
    const bool x_across = lies_across(1, x_, tile), y_across = lies_across(2, y_, tile);
    if (!x_across && !y_across) {
      sum_rows(tile, sums);
    } else if (x_across && y_across && loop_.shape[1] >= kTileRows) {
      sum_columns<kTileRows>(tile, sums);
    } else if (x_across && y_across && loop_.shape[1] >= kTileRows / 2) {
      sum_columns<kTileRows / 2>(tile, sums);
    } else {
      sum_turned_rows(tile, x_across, y_across, sums);
    }
    for (int64_t i = 0; i < tile.rows; i += branch_) {
      branches[((row + i) * parts_ + part) / branch_] =
          sum_tree([&](int64_t k) { return sums[k]; }, i, std::min(i + branch_, tile.rows));
    }
  }

 private:
  struct Tile {
    int64_t row, rows;
    int64_t column, columns;
  };

  bool lies_across(int operand, const operands::Input<T>& input, const Tile& tile) const {
    return loop_.shape[0] == row_length_ &&
           operands::lies_across(loop_, operand, input, tile.row * row_length_,
                                 tile.rows * row_length_);
  }

  // At the end of a column this begins with rows that are not the tile's.
  template <int rows>
  void sum_columns(const Tile& tile, double* sums) const {
    const int64_t rows_left = loop_.shape[1] - tile.row % loop_.shape[1];
    for (int64_t done = 0; done < tile.rows; done += rows) {
      const int64_t back = std::max<int64_t>(0, done + rows - rows_left);
      const int64_t begin = (tile.row + done - back) * row_length_ + tile.column;
      double found[rows];
      ColumnSums<T, Point, rows>(point_, tile.columns, operands::columns_of(loop_, 1, x_, begin),
                                 operands::columns_of(loop_, 2, y_, begin))
          .store(found);
      std::copy_n(found + back, std::min(rows - back, tile.rows - done), sums + done);
    }
  }

  // How many of a part's columns come next, if some are usual.
  static int64_t next_columns(int64_t left, int64_t usual) {
    return left < usual + kSumLanes ? left : usual;
  }

  void sum_rows(const Tile& tile, double* sums) const {
    alignas(64) T buffers[2][kBlockElements + kSumLanes + 2 * kLeastRow];
    for (int64_t row = 0; row < tile.rows; ++row) {
      const int64_t begin = (tile.row + row) * row_length_ + tile.column;
      LaneSums<T> lanes;
      for (int64_t done = 0, count; done < tile.columns; done += count) {
        count = next_columns(tile.columns - done, kBlockElements);
        lanes.add(point_, count, fetch(1, x_, begin + done, count, buffers[0]),
                  fetch(2, y_, begin + done, count, buffers[1]));
      }
      sums[row] = lanes.total();
    }
  }

  // Runs shorter than a row that lie across memory come as a whole, more than is asked for.
  const T* fetch(int operand, const operands::Input<T>& input, int64_t begin, int64_t count,
                 T* buffer) const {
    const int64_t length = loop_.shape[0];
    if (length < kLeastRow) {
      const int64_t before = begin % length;
      const int64_t runs = (before + count + length - 1) / length;
      if (operands::lies_across(loop_, operand, input, begin - before, runs * length)) {
        turn(operand, input, begin - before, runs, length, buffer);
        return buffer + before;
      }
    }
    return operands::fetch(loop_, operand, input, begin, count, buffer);
  }

  // Some columns of all rows at once: the cache lines they share are then used up.
  void sum_turned_rows(const Tile& tile, bool x_across, bool y_across, double* sums) const {
    alignas(64) T buffers[2][kTileRows * (kTurnedColumns + kSumLanes)];
    LaneSums<T> lanes[kTileRows];
    for (int64_t done = 0, count; done < tile.columns; done += count) {
      count = next_columns(tile.columns - done, kTurnedColumns);
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
  int64_t branch_ = 1;   // how many rows are one, if there are no parts
  int64_t tile_rows_;
};

template <typename T, typename Point>
double sum_values(const Point& point, const Shape& shape, const TensorView& x,
                  const TensorView& y) {
  const Values<T, Point> values(point, shape, x, y);
  if (values.positions() == 0) return 0.0;
  double only;
  const std::unique_ptr<double[]> many(values.branches() > 1 ? new double[values.branches()]
                                                             : nullptr);
  double* const branches = many ? many.get() : &only;
  const auto sum_tiles = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values.sum_tile(i, branches);
  };
  if (values.positions() <= kParallelElements) {
    sum_tiles(0, values.tiles());
  } else {
    parallel_for(values.tiles(), 1, sum_tiles);
  }
  return sum_tree([&](int64_t i) { return branches[i]; }, 0, values.branches());
}

}  // namespace reduce_detail

// The sum of point(x, y) over a shape that x and y broadcast to; 0 if it has no elements.
// point(0, 0) must be 0, or NaN with all others.
template <typename T, typename Point>
double sum_of(const Point& point, const Shape& shape, const TensorView& x, const TensorView& y) {
  const double sum = reduce_detail::sum_values<T>(point, shape, x, y);
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (!std::isfinite(sum)) {  // a few values may be too large for a float, but not for a double
      constexpr float kPart = 1.0f / reduce_detail::kStepsTogether<T>;
      const auto part = [point](auto a, auto b) { return kPart * point(a, b); };
      return reduce_detail::sum_values<T>(part, shape, x, y) / double{kPart};
    }
  }
  return sum;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
