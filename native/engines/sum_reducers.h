// SPDX-License-Identifier: Apache-2.0
// Sums, products and moments of values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engines/float_sums.h"
#include "engines/reducer_types.h"
#include "engines/reducers.h"
#include "engines/sums.h"
#include "simd/rounded_product.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reducers {

constexpr int kProductLanes = 32;  // that are joined in halves

// See Note [Sums in float]. FLOAT16 has the order of float.
template <typename Point, typename T>
double sum_in_float(const Point& point, const T* values, int64_t n) {
  return reduce_detail::FloatSum<T>::of(point, values, n);
}

// Every value becomes double before the point function sees it.
template <typename Point, typename T>
double sum_in_double(const Point& point, const T* values, int64_t n) {
  double lanes[kSumLanes] = {};
  int64_t i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes) {
    for (int k = 0; k < kSumLanes; ++k) lanes[k] += point(double{values[i + k]});
  }
  for (int k = 0; i < n; ++i, ++k) lanes[k] += point(double{values[i]});
  reduce_detail::fold(lanes, kSumLanes);
  return lanes[0];
}

template <typename V>
Element<V> product_of_lanes(V lanes) {
  constexpr int kHalf = sizeof(V) / sizeof(Element<V>) / 2;
  if constexpr (kHalf == 1) {
    return lanes[0] * lanes[1];
  } else {
    using Lanes = std::make_integer_sequence<int, kHalf>;
    return product_of_lanes(reduce_detail::lanes_from<0>(lanes, Lanes()) *
                            reduce_detail::lanes_from<kHalf>(lanes, Lanes()));
  }
}

inline void multiply(Vector<double>* products, Vector<double> values) { *products *= values; }
inline void multiply(Vector<double>* products, Vector<float> values) {
  products[0] *= low_doubles(values);
  products[1] *= high_doubles(values);
}

// In the lanes of Product.
template <typename T>
double product_in_double(const T* values, int64_t n) {
  constexpr int kVectors = kProductLanes / kLanes<double>;
  Vector<double> products[kVectors];
  for (auto& each : products) each = splat<Vector<double>>(1.0);
  const auto add = [&](const T* some) {
    for (int k = 0; k < kProductLanes; k += kLanes<T>) {
      multiply(products + k / kLanes<double>, load_vector<Vector<T>>(some + k));
    }
  };
  int64_t i = 0;
  for (; i + kProductLanes <= n; i += kProductLanes) {
    reduce_detail::prefetch_far<kProductLanes>(values + i);
    add(values + i);
  }
  if (i < n) {
    T last[kProductLanes];
    std::fill_n(last, kProductLanes, T{1});
    std::copy_n(values + i, n - i, last);
    add(last);
  }
  for (int half = kVectors / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) products[k] *= products[k + half];
  }
  return product_of_lanes(products[0]);
}

// Whether squares of floats, added up to that, have lost nothing at either end of their range.
inline bool fits_float(double squares, int64_t n) {
  return squares >= 0x1p-120 * static_cast<double>(n) && std::isfinite(squares);
}

template <typename T>
double sum_of_array(const T* values, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    const double total = sum_in_float([](auto x) { return x; }, values, n);
    if (std::isfinite(total)) return total;
  }
  return sum_of(values, n);
}

// Each of the following has a state, the state of nothing, what adds a value and joins states, and
// a faster way to reduce an array.
template <typename T>
struct Sum {
  using Value = T;
  using State = Total<T>;
  static constexpr Field kFields[2] = {{dtype_of<State>(), 0}, {}};
  static State none() { return {}; }
  static void add(State& total, T value, int64_t) {
    if constexpr (kIsComplex<T>) {
      total = {total.real + value.real, total.imaginary + value.imaginary};
    } else {
      total += static_cast<State>(value);
    }
  }
  static void join(State& total, const State& other) { Sum<State>::add(total, other, 0); }
  static void reduce(const T* values, int64_t n, int64_t, State& total) {
    if constexpr (kIsFloat<T>) {
      total = sum_of_array(values, n);
    } else {
      total = none();
      for (int64_t i = 0; i < n; ++i) add(total, values[i], 0);
    }
  }

  // Of floats, or of FLOAT16 in their place: some rows become one in float first.
  template <int count, typename Stored>
  static void add_rows(const Stored* const* rows, int64_t n, State* totals) {
    constexpr int kWidth = kLanes<float>;
    int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      Vector<double> sums[kWidth / kLanes<double>];
      std::memcpy(sums, totals + i, sizeof sums);
      reduce_detail::add_to(sums, sum_of_rows<count>(rows, i));
      std::memcpy(totals + i, sums, sizeof sums);
    }
    if (i == n) return;
    float last[kWidth];
    if (n >= kWidth) {  // a vector that ends with the row
      store_vector(last, sum_of_rows<count>(rows, n - kWidth));
    } else {
      for (int64_t k = 0; k < n; ++k) last[kWidth - n + k] = sum_of_column<count>(rows, k);
    }
    for (; i < n; ++i) totals[i] += double{last[kWidth - n + i]};
  }

 private:
  template <int count, typename Stored>
  static Vector<float> sum_of_rows(const Stored* const* rows, int64_t column) {
    Vector<float> values[count];
    for (int row = 0; row < count; ++row) values[row] = load_widened(rows[row] + column);
    reduce_detail::fold_neighbours(values, count);
    return values[0];
  }
  template <int count, typename Stored>
  static float sum_of_column(const Stored* const* rows, int64_t column) {
    float values[count];
    for (int row = 0; row < count; ++row) values[row] = widen(rows[row][column]);
    reduce_detail::fold_neighbours(values, count);
    return values[0];
  }
};

// Every value becomes double before it is added.
template <typename T>
struct ExactSum : Sum<T> {};

template <typename T>
struct SumOfSquares {
  using Value = T;
  using State = double;
  static constexpr Field kFields[2] = {{ACL_DOUBLE, 0}, {}};
  static State none() { return 0; }
  static void add(State& total, T value, int64_t) { total += double{value} * double{value}; }
  static void join(State& total, const State& other) { total += other; }
  static void reduce(const T* values, int64_t n, int64_t, State& total) {
    const auto square = [](auto x, auto...) { return x * x; };
    if constexpr (std::is_same_v<T, float>) {
      total = sum_in_float(square, values, n);
      if (fits_float(total, n)) return;
    }
    total = sum_in_double(square, values, n);
  }
};

template <typename T>
struct Product {
  using Value = T;
  using State = Total<T>;
  static constexpr Field kFields[2] = {{dtype_of<State>(), 0}, {}};
  static State none() {
    if constexpr (kIsComplex<T>)
      return {1.0, 0.0};
    else
      return 1;
  }
  static void add(State& total, T value, int64_t) {
    if constexpr (kIsComplex<T>) {
      const double re = value.real, im = value.imaginary;
      total = {rounded_product(total.real, re) - rounded_product(total.imaginary, im),
               rounded_product(total.real, im) + rounded_product(total.imaginary, re)};
    } else {
      total *= static_cast<State>(value);
    }
  }
  static void join(State& total, const State& other) { Product<State>::add(total, other, 0); }
  static constexpr int kTurns = kProductLanes;
  static void reduce(const T* values, int64_t n, int64_t, State& total) {
    if constexpr (kIsFloat<T>) {
      total = product_in_double(values, n);
      return;
    }
    State lanes[kTurns];
    for (State& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kTurns <= n; i += kTurns) {
      for (int k = 0; k < kTurns; ++k) add(lanes[k], values[i + k], 0);
    }
    for (int k = 0; i < n; ++i, ++k) add(lanes[k], values[i], 0);
    for (int half = kTurns / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) join(lanes[k], lanes[k + half]);
    }
    total = lanes[0];
  }
};

// Sums of differences from one of the values, or from about the mean, and of their squares: what
// cancels is then at most the number of values times the error of a double.
template <typename T>
struct Moments {
  using Value = T;
  using State = MomentState;
  static constexpr Field kFields[2] = {{ACL_DOUBLE, offsetof(State, squares)},
                                       {ACL_DOUBLE, offsetof(State, origin)}};
  static State none() { return {0, 0, 0, 0}; }
  static void add(State& state, T value, int64_t) {
    const double first = std::isfinite(value) ? double{value} : 0;
    state.origin = state.count == 0 ? first : state.origin;
    const double difference = double{value} - state.origin;
    state.count += 1;
    state.sum += difference;
    state.squares += difference * difference;
  }
  static void join(State& state, const State& other) {
    if (other.count == 0) return;
    if (state.count == 0) {
      state = other;
      return;
    }
    State a = state, b = other;
    a.center();
    b.center();
    const double count = a.count + b.count, distance = b.origin - a.origin;
    state.origin = (a.origin * a.count + b.origin * b.count) / count;
    state.sum = 0;
    state.squares = a.squares + b.squares + distance * distance * (a.count * (b.count / count));
    state.count = count;
  }
  static void reduce(const T* values, int64_t n, int64_t, State& state) {
    const double mean = sum_of_array(values, n) / static_cast<double>(n);
    const T origin = std::isfinite(mean) ? static_cast<T>(mean) : T{0};
    state = {static_cast<double>(n), double{origin}, 0, 0};
    const auto square = [origin](auto x, auto...) { return (x - origin) * (x - origin); };
    const auto same = [origin](auto x, auto...) { return x - origin; };
    if constexpr (std::is_same_v<T, float>) {
      state.squares = sum_in_float(square, values, n);
      state.sum = sum_in_float(same, values, n);
      if (fits_float(state.squares, n)) return;
    }
    state.squares = sum_in_double(square, values, n);
    state.sum = sum_in_double(same, values, n);
  }
};

}  // namespace reducers
}  // namespace ACLHOST_ISA
}  // namespace aclhost
