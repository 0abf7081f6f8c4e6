// SPDX-License-Identifier: Apache-2.0
#include "engines/reducers.h"

#include <cmath>

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
constexpr bool kAddsRowsFirst = false;
template <>
constexpr bool kAddsRowsFirst<Sum<float>> = true;

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
  if constexpr (kAddsRowsFirst<Way>) {
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
  for (; row < count; ++row) add_rows<Way, 1, Value>(rows + row, n, position + row, to);
}

template <typename Way>
void join(char* states, const char* others, int64_t n) {
  auto* from = reinterpret_cast<const typename Way::State*>(others);
  auto* to = reinterpret_cast<typename Way::State*>(states);
  for (int64_t i = 0; i < n; ++i) Way::join(to[i], from[i]);
}

void sum_halves(const char* values, int64_t n, char* state) {
  *reinterpret_cast<double*>(state) =
      sum_in_float([](auto x) { return x; }, reinterpret_cast<const Half*>(values), n);
}

template <typename Way>
constexpr auto kReduceHalf = static_cast<void (*)(const char*, int64_t, char*)>(nullptr);
template <>
constexpr auto kReduceHalf<Sum<float>> = &sum_halves;

void sum_columns(const char* values, int64_t step, int64_t n, char* states) {
  auto* const first = reinterpret_cast<const float*>(values);
  auto* const sums = reinterpret_cast<double*>(states);
  step /= sizeof(float);
  for (int i = 0; i < Reducer::kColumnsAtOnce; i += kLanes<float>) {
    reduce_detail::FloatColumns(first + i, step, n).sum(sums + i);
  }
  for (int i = 0; i < Reducer::kColumnsAtOnce; ++i) {
    if (std::isfinite(sums[i])) continue;
    float column[Reducer::kMostInColumns];
    for (int64_t row = 0; row < n; ++row) column[row] = first[row * step + i];
    Sum<float>::reduce(column, n, 0, sums[i]);
  }
}

template <typename Way>
constexpr auto kReduceColumns =
    static_cast<void (*)(const char*, int64_t, int64_t, char*)>(nullptr);
template <>
constexpr auto kReduceColumns<Sum<float>> = &sum_columns;

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
                              start<Way>,
                              reduce<Way>,
                              kReduceHalf<Way>,
                              kReduceColumns<Way>,
                              add<Way>,
                              kAddHalf<Way>,
                              kAddExactly<Way>,
                              join<Way>};

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
