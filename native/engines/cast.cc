// SPDX-License-Identifier: Apache-2.0
#include "engines/cast.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "engines/cast_arrays.h"
#include "engines/cast_bytes.h"
#include "engines/runs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using Types =
    std::tuple<Bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, Half,
               BFloat16, float, double, Complex<Half>, Complex<float>, Complex<double>>;
constexpr int kTypes = std::tuple_size_v<Types>;
template <int place>
using TypeAt = std::tuple_element_t<place, Types>;

constexpr aclDataType kDtypes[] = {ACL_BOOL,   ACL_INT8,      ACL_UINT8,     ACL_INT16,
                                   ACL_UINT16, ACL_INT32,     ACL_UINT32,    ACL_INT64,
                                   ACL_UINT64, ACL_FLOAT16,   ACL_BF16,      ACL_FLOAT,
                                   ACL_DOUBLE, ACL_COMPLEX32, ACL_COMPLEX64, ACL_COMPLEX128};
static_assert(std::size(kDtypes) == kTypes);

// Where a data type stands among the types, or -1.
constexpr int kDtypeLimit = 64;
constexpr std::array<int8_t, kDtypeLimit> places_of_dtypes() {
  std::array<int8_t, kDtypeLimit> places = {};
  for (int8_t& place : places) place = -1;
  for (int i = 0; i < kTypes; ++i) places[kDtypes[i]] = static_cast<int8_t>(i);
  return places;
}
constexpr std::array<int8_t, kDtypeLimit> kPlaces = places_of_dtypes();

int place_of(aclDataType dtype) { return dtype >= 0 && dtype < kDtypeLimit ? kPlaces[dtype] : -1; }

// Elements that lie apart are brought together, cast and spread out again.
void cast_apart(CastArray cast, const char* from, int64_t from_size, int64_t from_stride, char* to,
                int64_t to_size, int64_t to_stride, int64_t n) {
  constexpr int64_t kPiece = 256, kLargest = 16;
  alignas(64) char sources[kPiece * kLargest];
  alignas(64) char results[kPiece * kLargest];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    copy_run(from + i * from_stride, from_stride, sources, from_size, from_size, count);
    cast(sources, results, count);
    copy_run(results, to_size, to + i * to_stride, to_stride, to_size, count);
  }
}

template <typename From, typename To>
void cast_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n) {
  constexpr int64_t kFrom = sizeof(From), kTo = sizeof(To);
  if (from_stride == kFrom && to_stride == kTo) return cast_array<From, To>(from, to, n);
  cast_apart(cast_array<From, To>, from, kFrom, from_stride, to, kTo, to_stride, n);
}

struct Cast {
  CastArray array;
  CastRun run;
};

template <int from, std::size_t... to>
constexpr std::array<Cast, kTypes> casts_from(std::index_sequence<to...>) {
  return {Cast{cast_array<TypeAt<from>, TypeAt<to>>, cast_run<TypeAt<from>, TypeAt<to>>}...};
}

template <std::size_t... from>
constexpr std::array<std::array<Cast, kTypes>, kTypes> all_casts(std::index_sequence<from...>) {
  return {casts_from<from>(std::make_index_sequence<kTypes>{})...};
}

constexpr std::array<std::array<Cast, kTypes>, kTypes> kCasts =
    all_casts(std::make_index_sequence<kTypes>{});

const Cast* find(aclDataType from, aclDataType to) {
  const int source = place_of(from), target = place_of(to);
  return source < 0 || target < 0 ? nullptr : &kCasts[source][target];
}

}  // namespace

CastArray find_array_cast(aclDataType from, aclDataType to) {
  const Cast* const cast = find(from, to);
  return cast != nullptr ? cast->array : find_byte_cast(from, to);
}

CastRun find_cast(aclDataType from, aclDataType to) {
  const Cast* const cast = find(from, to);
  return cast != nullptr ? cast->run : nullptr;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
