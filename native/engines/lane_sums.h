// SPDX-License-Identifier: Apache-2.0
// Sums in lanes: of a row's part, or of many at once; see Note [Order of reductions] in reduce.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/memory.h"
#include "simd/pairs.h"
#include "simd/simd.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kSumLanes = 32;
// Of rows that share cache lines: as many as use up most of them.
constexpr int kTileRows = 32;

namespace reduce_detail {

// Steps of values that are added before they become double, see Note [Order of reductions].
template <typename T>
constexpr int kStepsTogether = sizeof(T) == 2 ? 4 : 1;

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

// Lanes are added to their neighbours first where these have the same place in the other vector of
// a pair.
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

// The sums of a row's part in lanes, where the row lies in memory. So many steps are added before
// they become double.
template <typename T, int together = kStepsTogether<T>>
class LaneSums {
 public:
  // Only the last elements of a part may be no multiple of what is added together.
  template <typename Point>
  __attribute__((flatten)) void add(const Point& point, int64_t count, const T* x, const T* y) {
    constexpr int64_t kTogether = together * kSumLanes;
    const Point own_point = point;  // on the stack, what they hold stays in registers
    LaneSums own = *this;
    int64_t i = 0;
    for (; i + kTogether <= count; i += kTogether) {
      own.template add_steps<together>(own_point, x + i, y + i);
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

// The sums of many rows' parts, where columns lie in memory.
template <typename T, typename Point, int rows>
class ColumnSums {
 public:
  __attribute__((flatten)) ColumnSums(const Point& point, int64_t count, const Columns<T>& x,
                                      const Columns<T>& y) {
    const Point own_point = point;
    const Columns<T> own_x = x, own_y = y;
    for (int lane = 0; lane < kSumLanes; ++lane) {
      lanes_[lane] = sum_of_lane(own_point, lane, count, own_x, own_y);
    }
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

  // The sums of all rows.
  void store(double* sums) const { std::memcpy(sums, lanes_, sizeof(Rows)); }

 private:
  static constexpr int kVectors = rows / kLanes<ComputeType<T>>;
  static constexpr int kStepsAhead = 8;

  struct Rows {
    Vector<double> sums[kVectors][kSumVectors<T>] = {};

    void operator+=(const Rows& other) {
      for (int k = 0; k < kVectors; ++k) {
        for (int i = 0; i < kSumVectors<T>; ++i) sums[k][i] += other.sums[k][i];
      }
    }
  };

  // One lane at a time: its sums stay in registers. What is less than a step goes to the last
  // lanes.
  static Rows sum_of_lane(const Point& point, int lane, int64_t count, const Columns<T>& x,
                          const Columns<T>& y) {
    constexpr int kTogether = kStepsTogether<T>;
    Rows sums;
    int64_t i = 0;
    for (; i + kTogether * kSumLanes <= count; i += kTogether * kSumLanes) {
      add<kTogether>(point, i + lane, x, y, sums);
    }
    for (; i + kSumLanes <= count; i += kSumLanes) add<1>(point, i + lane, x, y, sums);
    if (lane >= kSumLanes - (count - i)) add<1>(point, count - kSumLanes + lane, x, y, sums);
    return sums;
  }

  // Columns that are far apart are no streams that processors foresee.
  template <int steps>
  static void fetch_early(const Columns<T>& columns, int64_t column) {
    constexpr int64_t kFar = 2048 / sizeof(T), kLine = 64 / sizeof(T);
    if (columns.step * kSumLanes < kFar) return;
    for (int step = 0; step < steps; ++step) {
      const int64_t next = column + (step + kStepsAhead) * kSumLanes;
      for (int64_t at = 0; at < rows; at += kLine) {
        __builtin_prefetch(columns.first + next * columns.step + at);
      }
    }
  }

  // Columns one step after the other, to one lane.
  template <int steps>
  static void add(const Point& point, int64_t column, const Columns<T>& x, const Columns<T>& y,
                  Rows& lane) {
    fetch_early<steps>(x, column);
    if (y.first != x.first) fetch_early<steps>(y, column);
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

}  // namespace reduce_detail
}  // namespace ACLHOST_ISA
}  // namespace aclhost
