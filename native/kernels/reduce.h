// SPDX-License-Identifier: Apache-2.0
// Sums over any views.
//
// Note [The order of sums]
// It follows from the shape alone: neither strides nor threads nor instruction sets matter. The
// last dimensions make a row, as few of them as hold kLeastRow positions; rows are cut in parts of
// kPartLength. A part is summed in kSumLanes interleaved lanes, so that a row may lie in memory as
// vectors. Parts do not meet before they are summed, so that vectors may as well lie across rows.
// Lanes, and then parts in the order of positions, are added as binary trees.
//
// Every value is rounded to the compute type, as the element-wise operators have it, and added in
// double. Of 16-bit types kStepsTogether values of a lane are added in float first: what that loses
// does not show in the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "kernels/elementwise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 32;
constexpr int64_t kLeastRow = 64;
constexpr int64_t kPartLength = 4096;  // and what is less than kSumLanes, at the end of a row
constexpr int kTileRows = 32;
constexpr int64_t kTurnedColumns = 128;  // of a tile that are transposed at once

namespace reduce_detail {

inline void add_to(Vector<double>* sums, Vector<double> values) { *sums += values; }
inline void add_to(Vector<double>* sums, Vector<float> values) {
  sums[0] += low_doubles(values);
  sums[1] += high_doubles(values);
}

// What a vector of values becomes in double.
template <typename T>
constexpr int kSumVectors = kLanes<ComputeType<T>> / kLanes<double>;

// Adds the upper half to the lower one until one number, or one vector, is left.
template <typename Number>
void fold(Number* numbers, int count) {
  for (int half = count / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) numbers[i] += numbers[i + half];
  }
}

// Steps of values that are added before they become double, see Note [The order of sums].
template <typename T>
constexpr int kStepsTogether = sizeof(T) == 2 ? 4 : 1;

// Lanes are added to their neighbours first where a pair of vectors has them at the same place.
template <typename T>
constexpr bool kNeighboursFirst = place_of_second<T>(0) == 1;

// A step of zeros, then one of bits that are set.
template <typename T>
struct StepMask {
  constexpr StepMask() {
    for (int i = kSumLanes; i < 2 * kSumLanes; ++i) bits[i] = static_cast<BitsOf<T>>(-1);
  }
  BitsOf<T> bits[2 * kSumLanes] = {};
};
template <typename T>
constexpr StepMask<T> kStepMask;

// What is left of a row's part after the last full step of lanes, with zeros before it. Zeros make
// zeros, unless everything is NaN.
template <typename T>
struct LastStep {
  LastStep(const T* first, int64_t count) {
    const int64_t rest = count % kSumLanes;
    if (count < kSumLanes) {
      std::memcpy(bits + kSumLanes - rest, first, rest * sizeof(T));
      return;
    }
    using Bits = Vector<BitsOf<T>>;
    const T* const last = first + count - kSumLanes;
    for (int i = 0; i < kSumLanes; i += kLanes<BitsOf<T>>) {
      const auto mask = load_vector<Bits>(kStepMask<T>.bits + rest + i);
      store_vector(bits + i, load_vector<Bits>(last + i) & mask);
    }
  }
  const T* elements() const { return reinterpret_cast<const T*>(bits); }

  alignas(64) BitsOf<T> bits[kSumLanes] = {};
};

// The sums of a row's part in lanes, where the row lies in memory.
template <typename T>
class LaneSums {
 public:
  // Only the last elements of a part may be no multiple of what is added together.
  template <typename Point>
  __attribute__((flatten)) void add(const Point& point, int64_t count, const T* x, const T* y) {
    constexpr int64_t kTogether = kStepsTogether<T> * kSumLanes;
    const Point own_point = point;  // on the stack, what they hold stays in registers
    LaneSums own = *this;
    int64_t i = 0;
    for (; i + kTogether <= count; i += kTogether) {
      own.template add_steps<kStepsTogether<T>>(own_point, x + i, y + i);
    }
    for (; i + kSumLanes <= count; i += kSumLanes) {
      own.template add_steps<1>(own_point, x + i, y + i);
    }
    if (i < count) {
      const LastStep<T> last_x(x, count), last_y(y, count);
      own.template add_steps<1>(own_point, last_x.elements(), last_y.elements());
    }
    *this = own;
  }

  double total() const {
    constexpr int kVectors = kSumLanes / kLanes<double>;
    Vector<double> vectors[kVectors];
    int count = kVectors;
    if constexpr (kNeighboursFirst<T>) {
      count = 0;
      for (const auto& pair : sums_) {
        for (int k = 0; k < kSumVectors<T>; ++k) vectors[count++] = pair[0][k] + pair[1][k];
      }
    } else {
      std::memcpy(vectors, sums_, sizeof vectors);
    }
    fold(vectors, count);
    double numbers[kLanes<double>];
    store_vector(numbers, vectors[0]);
    fold(numbers, kLanes<double>);
    return numbers[0];
  }

 private:
  static constexpr int kPair = 2 * kLanes<ComputeType<T>>;
  static constexpr int kPairs = kSumLanes / kPair;

  template <int steps, typename Point>
  void add_steps(const Point& point, const T* x, const T* y) {
    for (int k = 0; k < kPairs; ++k) {
      ComputeVector<T> first[steps], second[steps];
      for (int step = 0; step < steps; ++step) {
        const int at = step * kSumLanes + k * kPair;
        const Pair<T> xs = load_pair(x + at), ys = load_pair(y + at);
        first[step] = point(xs.first, ys.first);
        second[step] = point(xs.second, ys.second);
      }
      fold(first, steps);
      fold(second, steps);
      add_to(sums_[k][0], first[0]);
      add_to(sums_[k][1], second[0]);
    }
  }

  Vector<double> sums_[kPairs][2][kSumVectors<T>] = {};  // of the first and the second of a pair
};

// The sums of kTileRows rows' parts, where columns lie in memory.
template <typename T, typename Point>
class ColumnSums {
 public:
  __attribute__((flatten)) ColumnSums(const Point& point, int64_t count, const Columns<T>& x,
                                      const Columns<T>& y) {
    constexpr int kTogether = kStepsTogether<T>;
    const Point own_point = point;
    const Columns<T> own_x = x, own_y = y;
    int64_t i = 0;
    for (; i + kTogether * kSumLanes <= count; i += kTogether * kSumLanes) {
      for (int lane = 0; lane < kSumLanes; ++lane) {
        add<kTogether>(own_point, i + lane, own_x, own_y, lanes_[lane]);
      }
    }
    for (; i + kSumLanes <= count; i += kSumLanes) {
      for (int lane = 0; lane < kSumLanes; ++lane) {
        add<1>(own_point, i + lane, own_x, own_y, lanes_[lane]);
      }
    }
    for (; i < count; ++i) add<1>(own_point, i, own_x, own_y, lanes_[i - count + kSumLanes]);
    int left = kSumLanes;
    if constexpr (kNeighboursFirst<T>) {
      left /= 2;
      for (int lane = 0; lane < left; ++lane) {
        lanes_[lane] = lanes_[2 * lane];
        lanes_[lane] += lanes_[2 * lane + 1];
      }
    }
    fold(lanes_, left);
  }

  const void* totals() const { return lanes_; }

 private:
  static constexpr int kVectors = kTileRows / kLanes<ComputeType<T>>;

  struct Rows {
    Vector<double> sums[kVectors][kSumVectors<T>] = {};

    void operator+=(const Rows& other) {
      for (int k = 0; k < kVectors; ++k) {
        for (int i = 0; i < kSumVectors<T>; ++i) sums[k][i] += other.sums[k][i];
      }
    }
  };

  // Columns one step after the other, to one lane.
  template <int steps>
  static void add(const Point& point, int64_t column, const Columns<T>& x, const Columns<T>& y,
                  Rows& lane) {
    for (int k = 0; k < kVectors; ++k) {
      ComputeVector<T> values[steps];
      for (int step = 0; step < steps; ++step) {
        const int64_t at = column + step * kSumLanes;
        values[step] = point(load_widened(x.first + at * x.step + k * kLanes<ComputeType<T>>),
                             load_widened(y.first + at * y.step + k * kLanes<ComputeType<T>>));
      }
      fold(values, steps);
      add_to(lane.sums[k], values[0]);
    }
  }

  Rows lanes_[kSumLanes];
};

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
      sum_columns(tile, sums);
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
  void sum_columns(const Tile& tile, double* sums) const {
    const int64_t rows_left = loop_.shape[1] - tile.row % loop_.shape[1];
    const int64_t back = std::max<int64_t>(0, kTileRows - rows_left);
    const int64_t begin = (tile.row - back) * row_length_ + tile.column;
    const ColumnSums<T, Point> found(point_, tile.columns,
                                     operands::columns_of(loop_, 1, x_, begin),
                                     operands::columns_of(loop_, 2, y_, begin));
    std::memcpy(sums, static_cast<const double*>(found.totals()) + back,
                tile.rows * sizeof(double));
  }

  void sum_rows(const Tile& tile, double* sums) const {
    alignas(64) T buffers[2][kPartLength + kSumLanes];
    for (int64_t row = 0; row < tile.rows; ++row) {
      const int64_t begin = (tile.row + row) * row_length_ + tile.column;
      LaneSums<T> lanes;
      lanes.add(point_, tile.columns,
                operands::fetch(loop_, 1, x_, begin, tile.columns, buffers[0]),
                operands::fetch(loop_, 2, y_, begin, tile.columns, buffers[1]));
      sums[row] = lanes.total();
    }
  }

  // Some columns of all rows at once: the cache lines they share are then used up.
  void sum_turned_rows(const Tile& tile, bool x_across, bool y_across, double* sums) const {
    alignas(64) T buffers[2][kTileRows * (kTurnedColumns + kSumLanes)];
    LaneSums<T> lanes[kTileRows];
    for (int64_t done = 0, count; done < tile.columns; done += count) {
      const int64_t left = tile.columns - done;
      count = left < kTurnedColumns + kSumLanes ? left : kTurnedColumns;
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
