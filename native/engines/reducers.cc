// SPDX-License-Identifier: Apache-2.0
#include "engines/reducers.h"

#include <cstddef>
#include <limits>
#include <type_traits>

#include "engines/sums.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;

template <typename T>
constexpr aclDataType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return ACL_FLOAT;
  if constexpr (std::is_same_v<T, double>) return ACL_DOUBLE;
  if constexpr (std::is_same_v<T, Complex<double>>) return ACL_COMPLEX128;
  if constexpr (std::is_same_v<T, int8_t>) return ACL_INT8;
  if constexpr (std::is_same_v<T, uint8_t>) return ACL_UINT8;
  if constexpr (std::is_same_v<T, int16_t>) return ACL_INT16;
  if constexpr (std::is_same_v<T, uint16_t>) return ACL_UINT16;
  if constexpr (std::is_same_v<T, int32_t>) return ACL_INT32;
  return ACL_INT64;
}

template <typename T>
bool is_nan(T value) {
  return value != value;
}

// What values are added and multiplied in.
template <typename T>
using Total = std::conditional_t<kIsComplex<T>, Complex<double>,
                                 std::conditional_t<kIsFloat<T>, double, uint64_t>>;

// Each of the following has a state, the state of nothing, what adds a value and joins states, and
// may have a faster way to reduce an array.
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
      total = sum_of(values, n);
    } else {
      total = none();
      for (int64_t i = 0; i < n; ++i) add(total, values[i], 0);
    }
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
      total = {total.real * re - total.imaginary * im, total.real * im + total.imaginary * re};
    } else {
      total *= static_cast<State>(value);
    }
  }
  static void join(State& total, const State& other) { Product<State>::add(total, other, 0); }
  static void reduce(const T* values, int64_t n, int64_t, State& total) {
    constexpr int kLanesOfTotals = 8;
    State lanes[kLanesOfTotals];
    for (State& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kLanesOfTotals <= n; i += kLanesOfTotals) {
      for (int k = 0; k < kLanesOfTotals; ++k) add(lanes[k], values[i + k], 0);
    }
    for (int k = 0; i < n; ++i, ++k) add(lanes[k], values[i], 0);
    total = none();
    for (const State& lane : lanes) join(total, lane);
  }
};

// Whether a value comes before another, the largest or the smallest first.
template <bool most, typename T>
bool beats(T value, T other) {
  return (most ? value > other : value < other);
}

template <bool most, typename T>
T worst() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return most ? -Limits::infinity() : Limits::infinity();
  return most ? Limits::lowest() : Limits::max();
}

template <bool most, typename T>
struct Extreme {
  using Value = T;
  using State = T;
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {}};
  static State none() { return worst<most, T>(); }
  static void add(State& best, T value, int64_t) {
    best = static_cast<bool>(beats<most>(value, best) | is_nan(value)) ? value : best;
  }
  static void join(State& best, const State& other) { add(best, other, 0); }
  static void reduce(const T* values, int64_t n, int64_t, State& best) {
    constexpr int64_t kTogether = 128 / sizeof(T);
    T lanes[kTogether];
    for (T& lane : lanes) lane = none();
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether) {
      for (int k = 0; k < kTogether; ++k) add(lanes[k], values[i + k], 0);
    }
    for (int k = 0; i < n; ++i, ++k) add(lanes[k], values[i], 0);
    best = none();
    for (const T& lane : lanes) add(best, lane, 0);
  }
};

template <bool most, typename T>
struct ExtremeAt {
  using Value = T;
  struct State {
    T value;
    int64_t position;
  };
  static constexpr Field kFields[2] = {{dtype_of<T>(), 0}, {ACL_INT64, offsetof(State, position)}};
  static State none() { return {worst<most, T>(), 0}; }
  static void add(State& best, T value, int64_t position) { join(best, {value, position}); }
  static void join(State& best, const State& other) {
    const bool wins =
        beats<most>(other.value, best.value) | (is_nan(other.value) & !is_nan(best.value));
    best.value = wins ? other.value : best.value;
    best.position = wins ? other.position : best.position;
  }
  static void reduce(const T* values, int64_t n, int64_t position, State& best) {
    Extreme<most, T>::reduce(values, n, 0, best.value);
    int64_t i = 0;
    if (is_nan(best.value)) {
      while (!is_nan(values[i])) ++i;
    } else {
      i = find(values, n, best.value);
    }
    best.position = position + i;
  }
  static int64_t find(const T* values, int64_t n, T wanted) {
    constexpr int64_t kTogether = 64;
    for (int64_t i = 0; i + kTogether <= n; i += kTogether) {
      int found = 0;
      for (int k = 0; k < kTogether; ++k) found |= values[i + k] == wanted;
      if (!found) continue;
      while (values[i] != wanted) ++i;
      return i;
    }
    int64_t i = n - n % kTogether;
    while (values[i] != wanted) ++i;
    return i;
  }
};
template <typename T>
using Maximum = Extreme<true, T>;
template <typename T>
using Minimum = Extreme<false, T>;
template <typename T>
using MaximumAt = ExtremeAt<true, T>;
template <typename T>
using MinimumAt = ExtremeAt<false, T>;

template <typename Way>
constexpr Reducer kReducer = {
    sizeof(typename Way::State),
    {Way::kFields[0], Way::kFields[1]},
    [](char* states, int64_t n) {
      const typename Way::State none = Way::none();
      for (int64_t i = 0; i < n; ++i) reinterpret_cast<typename Way::State*>(states)[i] = none;
    },
    [](const char* values, int64_t n, int64_t position, char* state) {
      Way::reduce(reinterpret_cast<const typename Way::Value*>(values), n, position,
                  *reinterpret_cast<typename Way::State*>(state));
    },
    [](const char* values, int64_t n, int64_t rows, int64_t position, char* states) {
      auto* from = reinterpret_cast<const typename Way::Value*>(values);
      auto* to = reinterpret_cast<typename Way::State*>(states);
      for (int64_t row = 0; row < rows; ++row, from += n) {
        for (int64_t i = 0; i < n; ++i) Way::add(to[i], from[i], position + row);
      }
    },
    [](char* states, const char* others, int64_t n) {
      auto* from = reinterpret_cast<const typename Way::State*>(others);
      auto* to = reinterpret_cast<typename Way::State*>(states);
      for (int64_t i = 0; i < n; ++i) Way::join(to[i], from[i]);
    }};

template <template <typename> class Way>
const Reducer* of_integers(aclDataType values) {
  switch (values) {
    case ACL_INT8:
      return &kReducer<Way<int8_t>>;
    case ACL_BOOL:
    case ACL_UINT8:
      return &kReducer<Way<uint8_t>>;
    case ACL_INT16:
      return &kReducer<Way<int16_t>>;
    case ACL_UINT16:
      return &kReducer<Way<uint16_t>>;
    case ACL_INT32:
      return &kReducer<Way<int32_t>>;
    case ACL_INT64:
      return &kReducer<Way<int64_t>>;
    default:
      return nullptr;
  }
}

template <template <typename> class Way>
const Reducer* of_floats(aclDataType values) {
  if (values == ACL_FLOAT) return &kReducer<Way<float>>;
  return values == ACL_DOUBLE ? &kReducer<Way<double>> : nullptr;
}

template <template <typename> class Way>
const Reducer* of_reals(aclDataType values) {
  const Reducer* const found = of_floats<Way>(values);
  return found != nullptr ? found : of_integers<Way>(values);
}

template <template <typename> class Way>
const Reducer* of_numbers(aclDataType values) {
  if (values == ACL_COMPLEX64) return &kReducer<Way<Complex<float>>>;
  return values == ACL_COMPLEX128 ? &kReducer<Way<Complex<double>>> : of_reals<Way>(values);
}

}  // namespace

const Reducer* find_reducer(Reduce kind, aclDataType values) {
  switch (kind) {
    case Reduce::kSum:
      return of_numbers<Sum>(values);
    case Reduce::kProduct:
      return of_numbers<Product>(values);
    case Reduce::kMaximum:
      return of_reals<Maximum>(values);
    case Reduce::kMinimum:
      return of_reals<Minimum>(values);
    case Reduce::kMaximumAt:
      return of_reals<MaximumAt>(values);
    case Reduce::kMinimumAt:
      return of_reals<MinimumAt>(values);
  }
  return nullptr;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
