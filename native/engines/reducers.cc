// SPDX-License-Identifier: Apache-2.0
#include "engines/reducers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engines/extreme_reducers.h"
#include "engines/sum_reducers.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reducers {
namespace {

template <typename Way>
constexpr bool kHasPlaces = false;
template <bool most, typename T>
constexpr bool kHasPlaces<ExtremeAt<most, T>> = true;

template <typename Way>
constexpr bool kAddsRows = false;  // in a way of its own
template <>
constexpr bool kAddsRows<Sum<float>> = true;
template <bool most, typename T>
constexpr bool kAddsRows<Extreme<most, T>> = kIsFloat<T>;

// Integers wrap, of equal values with places the first wins wherever it stands, and zeros and NaN
// are settled.
template <typename Way>
constexpr bool kInAnyOrder = false;
template <typename T>
constexpr bool kInAnyOrder<Sum<T>> = std::is_integral_v<T>;
template <typename T>
constexpr bool kInAnyOrder<Product<T>> = std::is_integral_v<T>;
template <bool most, typename T>
constexpr bool kInAnyOrder<Extreme<most, T>> = true;
template <typename T>
constexpr bool kInAnyOrder<Range<T>> = true;
template <bool most, typename T>
constexpr bool kInAnyOrder<ExtremeAt<most, T>> = true;

template <typename Way>
constexpr int64_t kFewResults = 0;
template <>
constexpr int64_t kFewResults<Sum<float>> = std::numeric_limits<int64_t>::max();
template <>
constexpr int64_t kFewResults<Sum<double>> = Reducer::kMostColumns;
template <typename T>
constexpr int64_t kFewResults<Product<T>> = Reducer::kMostColumns;

template <typename Way>
constexpr int64_t kFewValues = 32;
template <>
constexpr int64_t kFewValues<Sum<float>> = kFloatLanes;

template <typename Way>
void start(char* states, int64_t n) {
  const typename Way::State none = Way::none();
  for (int64_t i = 0; i < n; ++i) reinterpret_cast<typename Way::State*>(states)[i] = none;
}

template <typename Way>
void reduce(const char* values, int64_t n, int64_t position, char* state) {
  Way::reduce(reinterpret_cast<const typename Way::Value*>(values), n, position,
              *reinterpret_cast<typename Way::State*>(state));
}

// Several rows at once: states are read and written less often.
template <typename Way, int count, typename Value = typename Way::Value>
void add_rows(const char* const* rows, int64_t n, int64_t position,
              typename Way::State* __restrict states) {
  const Value* from[count];
  for (int row = 0; row < count; ++row) from[row] = reinterpret_cast<const Value*>(rows[row]);
  if constexpr (kAddsRows<Way>) {
    Way::template add_rows<count>(from, n, states);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      typename Way::State state = states[i];
      for (int row = 0; row < count; ++row) Way::add(state, from[row][i], position + row);
      states[i] = state;
    }
  }
}

template <typename Way, typename Value = typename Way::Value>
void add(const char* const* rows, int64_t count, int64_t n, int64_t position, char* states) {
  auto* const to = reinterpret_cast<typename Way::State*>(states);
  constexpr int kMost = Reducer::kRowsAtOnce;
  if (count == kMost) return add_rows<Way, kMost, Value>(rows, n, position, to);
  int64_t row = 0;
  if (count >= kMost / 2) {
    add_rows<Way, kMost / 2, Value>(rows, n, position, to);
    row = kMost / 2;
  }
  if (count - row >= 2) {
    add_rows<Way, 2, Value>(rows + row, n, position + row, to);
    row += 2;
  }
  if (row < count) add_rows<Way, 1, Value>(rows + row, n, position + row, to);
}

template <typename Way>
void join(char* states, const char* others, int64_t n) {
  auto* to = reinterpret_cast<typename Way::State*>(states);
  if constexpr (kAddsRows<Way> && std::is_same_v<typename Way::State, typename Way::Value>) {
    return add_rows<Way, 1>(&others, n, 0, to);
  }
  auto* from = reinterpret_cast<const typename Way::State*>(others);
  for (int64_t i = 0; i < n; ++i) Way::join(to[i], from[i]);
}

void sum_halves(const char* values, int64_t n, char* state) {
  *reinterpret_cast<double*>(state) =
      sum_in_float([](auto x) { return x; }, reinterpret_cast<const Half*>(values), n);
}

void sum_short_rows(const char* values, int64_t rows, int64_t n, char* states) {
  auto* const from = reinterpret_cast<const float*>(values);
  auto* const sums = reinterpret_cast<double*>(states);
  reduce_detail::FloatSum<float>::of_rows(from, rows, n, sums);
  for (int64_t i = 0; i < rows; ++i) {
    if (!std::isfinite(sums[i])) sums[i] = sum_of_array(from + i * n, n);
  }
}

template <typename Way>
constexpr decltype(Reducer::reduce_short_rows) kReduceShortRows = nullptr;
template <>
constexpr decltype(Reducer::reduce_short_rows) kReduceShortRows<Sum<float>> = &sum_short_rows;

template <bool most, typename Stored>
void find_extreme(const char* values, int64_t n, char* state) {
  auto* const from = reinterpret_cast<const Stored*>(values);
  float& best = *reinterpret_cast<float*>(state);
  if (BestNumbers<float, most>::reduce(from, n, &best)) return;
  float wide[Reducer::kMostInColumns];
  for (int64_t i = 0; i < n; ++i) wide[i] = widen(from[i]);
  Extreme<most, float>::reduce(wide, n, 0, best);
}

template <typename Way, typename Stored>
constexpr ReduceArray kReduceStored = nullptr;
template <>
constexpr ReduceArray kReduceStored<Sum<float>, Half> = &sum_halves;
template <bool most, typename Stored>
constexpr ReduceArray kReduceStored<Extreme<most, float>, Stored> = &find_extreme<most, Stored>;

// Columns of tall matrices are no streams that processors foresee, but rows of them are.
void fetch_early(const char* row) {
  for (int64_t at = 0; at < 128; at += 64) __builtin_prefetch(row + at);
}

// Every row so many turns after another, from `row` on, several at once.
template <typename Way, typename Value>
void add_turns(const ColumnValues& values, int64_t row, int64_t turns, char* states) {
  constexpr int64_t kRows = Reducer::kRowsAtOnce;
  for (; row < values.rows; row += kRows * turns) {
    const int64_t count = std::min(kRows, (values.rows - row + turns - 1) / turns);
    const char* rows[kRows];
    for (int64_t k = 0; k < count; ++k) {
      rows[k] = values.first + (row + k * turns) * values.step;
      fetch_early(rows[k] + kRows * turns * values.step);
    }
    add<Way, Value>(rows, count, values.columns, 0, states);
  }
}

// Rows take turns in the lanes of reduce(), one lane after the other; without gaps between them
// they come to all lanes at once, as an array. What is less than a turn, at the end, comes to the
// first lanes or to the last ones.
template <typename Way, typename Value = typename Way::Value, int turns = Way::kTurns,
          bool ends_in_last = false>
void reduce_columns(const ColumnValues& values, char* states) {
  using State = typename Way::State;
  State lanes[turns * Reducer::kMostColumns];
  char* const first = reinterpret_cast<char*>(lanes);
  const int64_t columns = values.columns, bytes = columns * sizeof(State);
  const int64_t rest = values.rows % turns, whole = values.rows - rest;
  const bool is_packed = values.step == columns * static_cast<int64_t>(sizeof(Value));
  const int64_t together = is_packed ? turns : 1;
  start<Way>(first, turns * columns);
  const ColumnValues all = {values.first, values.step * together, whole / together,
                            columns * together};
  for (int64_t lane = 0; lane < turns / together; ++lane) {
    add_turns<Way, Value>(all, lane, turns / together, first + lane * bytes);
  }
  for (int64_t i = 0; i < rest; ++i) {
    const char* const row = values.first + (whole + i) * values.step;
    add<Way, Value>(&row, 1, columns, 0, first + (ends_in_last ? turns - rest + i : i) * bytes);
  }
  for (int half = turns / 2; half > 0; half /= 2) {
    join<Way>(first, first + half * bytes, half * columns);
  }
  std::memcpy(states, lanes, bytes);
}

// One lane.
template <typename Way>
void add_columns(const ColumnValues& values, char* states) {
  start<Way>(states, values.columns);
  add_turns<Way, typename Way::Value>(values, 0, 1, states);
}

// Calls body(first column) for as many columns as it takes; the last may come twice.
template <int count, typename Body>
void for_each_columns(int64_t columns, const Body& body) {
  for (int64_t i = 0; i < columns; i += count) body(std::min<int64_t>(i, columns - count));
}

// A lane of all columns at a time: its rows are read along memory, those of the next lane fetched
// meanwhile.
template <typename Value>
void sum_blocks(const Value* first, int64_t step, const ColumnValues& values, double* sums) {
  using FloatColumns = reduce_detail::FloatColumns<Value>;
  typename FloatColumns::Lanes lanes[Reducer::kMostColumns / kLanes<float>];
  int64_t row = 0;
  for (; row + kFloatBlock <= values.rows; row += kFloatBlock) {
    for (int lane = 0; lane < kFloatLanes; ++lane) {
      const Value* const rows = first + (row + lane) * step;
      auto* own = lanes;
      for_each_columns<kLanes<float>>(
          values.columns, [&](int64_t i) { FloatColumns::add_lane(rows + i, step, lane, *own++); });
    }
  }
  auto* own = lanes;
  for_each_columns<kLanes<float>>(values.columns, [&](int64_t i) {
    if (row < values.rows) {
      FloatColumns(first + row * step + i, step, values.rows - row).add_block(*own);
    }
    FloatColumns::store(*own++, sums + i);
  });
}

// Rows of one block. Where they are far apart, memory is read faster in longer pieces than columns
// need at a time.
template <typename Value>
void sum_few_rows(const Value* first, int64_t step, const ColumnValues& values, double* sums) {
  constexpr int64_t kPiece = 2 * Reducer::kLeastColumns, kFar = 512;
  const auto sum = [&](const Value* from, int64_t own_step, int64_t columns, double* to) {
    for_each_columns<kLanes<float>>(columns, [&](int64_t i) {
      reduce_detail::FloatColumns<Value>(from + i, own_step, values.rows).sum(to + i);
    });
  };
  if (values.columns < kPiece || values.rows * step < kFar * kFloatBlock) {
    return sum(first, step, values.columns, sums);
  }
  Value copy[kFloatBlock * kPiece];
  for_each_columns<kPiece>(values.columns, [&](int64_t i) {
    for (int64_t row = 0; row < values.rows; ++row) {
      std::memcpy(copy + row * kPiece, first + row * step + i, kPiece * sizeof(Value));
    }
    sum(copy, kPiece, kPiece, sums + i);
  });
}

// Few columns: a turn of all of them is an array, and turns are added as the rows of add() are.
template <typename Value>
void sum_packed(const Value* values, int64_t rows, int64_t columns, double* sums) {
  using FloatColumns = reduce_detail::FloatColumns<Value>;
  constexpr int64_t kWidth = Reducer::kLeastColumns;
  const int64_t turn = kFloatLanes * columns;
  double totals[kFloatLanes * kWidth + kLanes<float>] = {};  // read by vectors
  int64_t row = 0;
  for (; row + kFloatBlock <= rows; row += kFloatBlock) {
    const Value* turns[kFloatSteps];
    for (int s = 0; s < kFloatSteps; ++s) turns[s] = values + row * columns + s * turn;
    for (int64_t i = 0; i < kFloatBlock * columns; i += kFloatBlock) {
      reduce_detail::prefetch_far<kFloatBlock>(turns[0] + i);
    }
    Sum<float>::add_rows<kFloatSteps>(turns, turn, totals);
  }
  const int64_t rest = rows - row;
  Value last[kFloatBlock * kWidth];
  std::memset(last, 0, rest * kWidth * sizeof(Value));
  for (int64_t i = 0; i < rest; ++i) {
    std::memcpy(last + i * kWidth, values + (row + i) * columns, columns * sizeof(Value));
  }
  for (int64_t i = 0; i < columns; i += kLanes<float>) {
    typename FloatColumns::Lanes lanes;
    for (int lane = 0; lane < kFloatLanes; ++lane) {
      std::memcpy(&lanes.sums[lane], totals + lane * columns + i, sizeof lanes.sums[lane]);
    }
    if (rest > 0) FloatColumns(last + i, kWidth, rest).add_block(lanes);
    double some[kLanes<float>];
    FloatColumns::store(lanes, some);
    std::memcpy(sums + i, some, std::min<int64_t>(kLanes<float>, columns - i) * sizeof(double));
  }
}

template <typename Value>
void sum_columns(const ColumnValues& values, char* states) {
  auto* const first = reinterpret_cast<const Value*>(values.first);
  auto* const sums = reinterpret_cast<double*>(states);
  const int64_t step = values.step / static_cast<int64_t>(sizeof(Value));
  if (values.columns < Reducer::kLeastColumns) {
    sum_packed(first, values.rows, values.columns, sums);
  } else if (values.rows > kFloatBlock) {
    sum_blocks(first, step, values, sums);
  } else {
    sum_few_rows(first, step, values, sums);
  }
  for (int64_t i = 0; i < values.columns; ++i) {
    if (std::isfinite(sums[i])) continue;
    float column[Reducer::kMostInColumns];
    for (int64_t row = 0; row < values.rows; ++row) column[row] = widen(first[row * step + i]);
    Sum<float>::reduce(column, values.rows, 0, sums[i]);
  }
}

using ReduceColumns = void (*)(const ColumnValues&, char*);
template <typename Way, typename Value>
constexpr ReduceColumns kReduceColumns = nullptr;
template <typename T>
constexpr ReduceColumns kReduceColumns<Sum<T>, T> = &add_columns<Sum<T>>;
template <typename Value>
constexpr ReduceColumns kReduceColumns<Sum<float>, Value> = &sum_columns<Value>;
template <>
constexpr ReduceColumns kReduceColumns<Sum<float>, float> = &sum_columns<float>;
template <>
constexpr ReduceColumns kReduceColumns<Sum<double>, double> =
    &reduce_columns<Sum<double>, double, kSumLanes, true>;
template <typename T>
constexpr ReduceColumns kReduceColumns<Product<T>, T> = &reduce_columns<Product<T>>;
template <bool most>
constexpr ReduceColumns kReduceColumns<Extreme<most, double>, double> =
    &reduce_columns<Extreme<most, double>>;
template <bool most, typename Value>
constexpr ReduceColumns kReduceColumns<Extreme<most, float>, Value> =
    &reduce_columns<Extreme<most, float>, Value>;
template <bool most>
constexpr ReduceColumns kReduceColumns<Extreme<most, float>, float> =
    &reduce_columns<Extreme<most, float>>;

template <typename T, typename Value>
void find_ranges(const ColumnValues& values, char* states) {
  T least[Reducer::kMostColumns], most[Reducer::kMostColumns];
  kReduceColumns<Minimum<T>, Value>(values, reinterpret_cast<char*>(least));
  kReduceColumns<Maximum<T>, Value>(values, reinterpret_cast<char*>(most));
  auto* const to = reinterpret_cast<typename Range<T>::State*>(states);
  for (int64_t i = 0; i < values.columns; ++i) to[i] = {least[i], most[i]};
}
template <>
constexpr ReduceColumns kReduceColumns<Range<double>, double> = &find_ranges<double, double>;
template <typename Value>
constexpr ReduceColumns kReduceColumns<Range<float>, Value> = &find_ranges<float, Value>;
template <>
constexpr ReduceColumns kReduceColumns<Range<float>, float> = &find_ranges<float, float>;

template <typename T, int fields>
void settle(char* states, int64_t n) {
  auto* const values = reinterpret_cast<T*>(states);
  for (int64_t i = 0; i < n * fields; ++i) {
    values[i] = is_nan(values[i]) ? std::numeric_limits<T>::quiet_NaN() : values[i] + T{0};
  }
}

template <typename Way>
constexpr decltype(Reducer::settle) kSettle = nullptr;
template <bool most, typename T>
constexpr decltype(Reducer::settle) kSettle<Extreme<most, T>> =
    kIsFloat<T> ? &settle<T, 1> : nullptr;
template <typename T>
constexpr decltype(Reducer::settle) kSettle<Range<T>> = kIsFloat<T> ? &settle<T, 2> : nullptr;

using Add = void (*)(const char* const*, int64_t, int64_t, int64_t, char*);
template <typename Way>
constexpr Add kAddHalf = nullptr;
template <>
constexpr Add kAddHalf<Sum<float>> = &add<Sum<float>, Half>;

template <typename Way>
constexpr Add kAddExactly = nullptr;
template <>
constexpr Add kAddExactly<Sum<float>> = &add<ExactSum<float>>;

template <typename Way>
constexpr Reducer kReducer = {sizeof(typename Way::State),
                              {Way::kFields[0], Way::kFields[1]},
                              kHasPlaces<Way>,
                              kInAnyOrder<Way>,
                              kFewValues<Way>,
                              kFewResults<Way>,
                              start<Way>,
                              reduce<Way>,
                              kReduceShortRows<Way>,
                              kReduceStored<Way, Half>,
                              kReduceStored<Way, BFloat16>,
                              kReduceColumns<Way, typename Way::Value>,
                              kReduceColumns<Way, Half>,
                              kReduceColumns<Way, BFloat16>,
                              add<Way>,
                              kAddHalf<Way>,
                              kAddExactly<Way>,
                              join<Way>,
                              kSettle<Way>};

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
const Reducer* of_float(aclDataType values) {
  return values == ACL_FLOAT ? &kReducer<Way<float>> : nullptr;
}

template <template <typename> class Way>
const Reducer* of_reals(aclDataType values) {
  if (values == ACL_DOUBLE) return &kReducer<Way<double>>;
  return values == ACL_FLOAT ? &kReducer<Way<float>> : of_integers<Way>(values);
}

template <template <typename> class Way>
const Reducer* of_numbers(aclDataType values) {
  if (values == ACL_COMPLEX64) return &kReducer<Way<Complex<float>>>;
  return values == ACL_COMPLEX128 ? &kReducer<Way<Complex<double>>> : of_reals<Way>(values);
}

}  // namespace
}  // namespace reducers

const Reducer* find_reducer(Reduce kind, aclDataType values) {
  using namespace reducers;
  switch (kind) {
    case Reduce::kSum:
      return of_numbers<Sum>(values);
    case Reduce::kSumOfSquares:
      return of_float<SumOfSquares>(values);
    case Reduce::kMoments:
      return of_float<Moments>(values);
    case Reduce::kProduct:
      return of_numbers<Product>(values);
    case Reduce::kMaximum:
      return of_reals<Maximum>(values);
    case Reduce::kMinimum:
      return of_reals<Minimum>(values);
    case Reduce::kRange:
      return of_reals<Range>(values);
    case Reduce::kMaximumAt:
      return of_reals<MaximumAt>(values);
    case Reduce::kMinimumAt:
      return of_reals<MinimumAt>(values);
  }
  return nullptr;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
