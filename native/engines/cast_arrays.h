// SPDX-License-Identifier: Apache-2.0
// Note [Casts] for contiguous arrays. Few pairs of types have a loop of their own: integers go by
// their width, 16-bit floats through float, complex numbers by their parts, in pieces that stay in
// the first-level cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engines/cast_values.h"
#include "simd/few_halves.h"
#include "simd/pairs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Never inlined: most call others of them, and all of them together would be ten times as large.
template <typename From, typename To>
__attribute__((noinline)) void cast_array(const char* from, char* to, int64_t n);

namespace cast_detail {

constexpr int64_t kPiece = 512;  // elements

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
constexpr bool kIsComplex = false;
template <typename Part>
constexpr bool kIsComplex<Complex<Part>> = true;

// Calls visit(begin, count) for pieces of an array.
template <typename Visit>
void in_pieces(int64_t n, const Visit& visit) {
  for (int64_t i = 0; i < n; i += kPiece) visit(i, std::min(kPiece, n - i));
}

template <typename From, typename To>
__attribute__((noinline)) void cast_each(const char* __restrict from, char* __restrict to,
                                         int64_t n) {
  constexpr int64_t kFrom = sizeof(From), kTo = sizeof(To);
  for (int64_t i = 0; i < n; ++i) {
    store(to + i * kTo, cast_value<To>(load<From>(from + i * kFrom)));
  }
}

template <typename From, typename Middle, typename To>
void cast_through(const char* from, char* to, int64_t n) {
  alignas(64) char middle[kPiece * sizeof(Middle)];
  in_pieces(n, [&](int64_t begin, int64_t count) {
    cast_array<From, Middle>(from + begin * int64_t{sizeof(From)}, middle, count);
    cast_array<Middle, To>(middle, to + begin * int64_t{sizeof(To)}, count);
  });
}

// The last elements go through a vector, too, which may hold some for a second time: single ones
// might keep other bits of a NaN. It is stored before the others, so that what reads a vector of
// the results soon finds it in one store.
template <typename T>
void widen_array(const char* from, char* to, int64_t n) {
  if (n < kFewLanes) {
    if (n > 0) widen_less<T>(from, to, n);
    return;
  }
  const T* const source = reinterpret_cast<const T*>(from);
  with_lanes(n, [&](auto lanes) {
    constexpr int kStep = decltype(lanes)::value;
    const int64_t last = n - kStep;
    store_vector(to + last * 4, widen_lanes<kStep>(source + last));
    for (int64_t i = 0; i < last; i += kStep) {
      store_vector(to + i * 4, widen_lanes<kStep>(source + i));
    }
  });
}

// Up to two vectors.
template <typename T>
void narrow_few(const char* from, char* to, int64_t n) {
  if (n < kFewLanes) {
    if (n > 0) narrow_less<T>(from, to, n);
    return;
  }
  T* const target = reinterpret_cast<T*>(to);
  with_lanes(n, [&](auto lanes) {
    constexpr int kStep = decltype(lanes)::value;
    const auto first = load_vector<Vector<float, kStep>>(from);
    const auto last = load_vector<Vector<float, kStep>>(from + (n - kStep) * 4);
    narrow_lanes<kStep>(target + n - kStep, last);
    narrow_lanes<kStep>(target, first);
  });
}

template <typename T>
void narrow_array(const char* from, char* to, int64_t n) {
  constexpr int64_t kStep = 2 * kLanes<float>;
  if (n <= kStep) return narrow_few<T>(from, to, n);
  const float* source = reinterpret_cast<const float*>(from);
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) store_vector(to + i * 2, load_narrowed<T>(source + i));
  if (i < n) store_vector(to + (n - kStep) * 2, load_narrowed<T>(source + n - kStep));
}

// Few arrays hold numbers that need the slow loop.
inline void round_array_to_odd(const char* __restrict from, char* __restrict to, int64_t n) {
  uint64_t small = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = load<double>(from + i * 8);
    small |= is_normal_float_or_0(value) ? 0 : 1;
    store(to + i * 4, round_normal_to_odd(value));
  }
  if (small != 0) cast_each<double, OddFloat>(from, to, n);
}

// What is below the smallest normal float is 0 as a FLOAT16, however it was rounded before.
inline void round_array_to_half(const char* __restrict from, char* __restrict to, int64_t n) {
  alignas(64) float odd[kPiece];
  in_pieces(n, [&](int64_t begin, int64_t count) {
    const char* const piece = from + begin * 8;
    for (int64_t i = 0; i < count; ++i) odd[i] = round_normal_to_odd(load<double>(piece + i * 8));
    narrow_array<Half>(reinterpret_cast<const char*>(odd), to + begin * 2, count);
  });
}

template <typename Part>
__attribute__((noinline)) void take_real_parts(const char* __restrict from, char* __restrict to,
                                               int64_t n) {
  constexpr int64_t kSize = sizeof(Part);
  for (int64_t i = 0; i < n; ++i) store(to + i * kSize, load<BitsOf<Part>>(from + 2 * i * kSize));
}

template <typename Part>
__attribute__((noinline)) void put_real_parts(const char* __restrict from, char* __restrict to,
                                              int64_t n) {
  constexpr int64_t kSize = sizeof(Part);
  for (int64_t i = 0; i < n; ++i) {
    store(to + 2 * i * kSize, load<BitsOf<Part>>(from + i * kSize));
    store(to + (2 * i + 1) * kSize, BitsOf<Part>{0});
  }
}

template <typename Part, typename To>
void cast_real_parts(const char* from, char* to, int64_t n) {
  alignas(64) char parts[kPiece * sizeof(Part)];
  in_pieces(n, [&](int64_t begin, int64_t count) {
    take_real_parts<Part>(from + begin * int64_t{2 * sizeof(Part)}, parts, count);
    cast_array<Part, To>(parts, to + begin * int64_t{sizeof(To)}, count);
  });
}

template <typename From, typename Part>
void cast_to_complex(const char* from, char* to, int64_t n) {
  alignas(64) char parts[kPiece * sizeof(Part)];
  in_pieces(n, [&](int64_t begin, int64_t count) {
    cast_array<From, Part>(from + begin * int64_t{sizeof(From)}, parts, count);
    put_real_parts<Part>(parts, to + begin * int64_t{2 * sizeof(Part)}, count);
  });
}

template <typename Part>
void cast_complex_to_bool(const char* from, char* to, int64_t n) {
  char parts[2 * kPiece];
  in_pieces(n, [&](int64_t begin, int64_t count) {
    cast_array<Part, Bool>(from + begin * int64_t{2 * sizeof(Part)}, parts, 2 * count);
    for (int64_t i = 0; i < count; ++i) to[begin + i] = parts[2 * i] | parts[2 * i + 1];
  });
}

template <typename Part>
Part part_of(Complex<Part>);

template <typename From, typename To>
void cast_complex(const char* from, char* to, int64_t n) {
  if constexpr (!kIsComplex<From>) {
    cast_to_complex<From, decltype(part_of(To{}))>(from, to, n);
  } else {
    using Part = decltype(part_of(From{}));
    if constexpr (kIsComplex<To>) {
      cast_array<Part, decltype(part_of(To{}))>(from, to, 2 * n);
    } else if constexpr (std::is_same_v<To, Bool>) {
      cast_complex_to_bool<Part>(from, to, n);
    } else {
      cast_real_parts<Part, To>(from, to, n);
    }
  }
}

// 32 and 64 bits lose digits already in float, and a double does; none but these.
template <typename From>
using ToHalfThrough =
    std::conditional_t<(sizeof(From) > 2 && !std::is_same_v<From, float>), OddFloat, float>;

template <typename From, typename To>
void cast_half(const char* from, char* to, int64_t n) {
  if constexpr (std::is_same_v<To, float>) {
    widen_array<From>(from, to, n);
  } else if constexpr (std::is_same_v<To, Bool>) {
    cast_each<Half, Bool>(from, to, n);
  } else if constexpr (kIsHalf<From>) {
    cast_through<From, float, To>(from, to, n);
  } else if constexpr (std::is_same_v<From, float>) {
    narrow_array<To>(from, to, n);
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, Half>) {
    round_array_to_half(from, to, n);
  } else {
    cast_through<From, ToHalfThrough<From>, To>(from, to, n);
  }
}

// Bits of integers that are cut off or copied do not depend on the sign, nor does a wrapped result.
template <typename From, typename To>
void cast_to_integer(const char* from, char* to, int64_t n) {
  if constexpr (std::is_integral_v<From>) {
    constexpr bool kWidens = sizeof(To) > sizeof(From);
    using Source = std::conditional_t<kWidens, From, std::make_signed_t<From>>;
    cast_each<Source, std::make_signed_t<To>>(from, to, n);
  } else if constexpr (sizeof(To) < 4) {
    cast_each<From, std::make_signed_t<To>>(from, to, n);
  } else {
    cast_each<From, To>(from, to, n);
  }
}

template <typename From, typename To>
constexpr bool kSameBits =
    (std::is_same_v<From, To> && !std::is_same_v<To, Bool>) ||
    (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) == sizeof(To));

}  // namespace cast_detail

template <typename From, typename To>
void cast_array(const char* from, char* to, int64_t n) {
  using namespace cast_detail;
  if constexpr (kSameBits<From, To>) {
    std::memmove(to, from, n * sizeof(From));
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, OddFloat>) {
    round_array_to_odd(from, to, n);
  } else if constexpr (std::is_same_v<From, OddFloat>) {
    cast_array<float, To>(from, to, n);
  } else if constexpr (kIsComplex<From> || kIsComplex<To>) {
    cast_complex<From, To>(from, to, n);
  } else if constexpr (kIsHalf<From> || kIsHalf<To>) {
    cast_half<From, To>(from, to, n);
  } else if constexpr (std::is_integral_v<To>) {
    cast_to_integer<From, To>(from, to, n);
  } else {
    cast_each<From, To>(from, to, n);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
