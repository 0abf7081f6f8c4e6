// SPDX-License-Identifier: Apache-2.0
// 16-bit floats in a half or a quarter of a vector, with the bits that a whole one would have.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kFewLanes = 4;

template <int lanes>
inline Vector<float, lanes> widen_lanes(const BFloat16* from) {
  using V = Vector<float, lanes>;
#if defined(__AVX2__)  // of a conversion of vectors g++ 12 makes several steps
  if constexpr (lanes == 2 * kFewLanes) {
    return bit_cast<V>(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_vector<__m128i>(from)), 16));
  }
  if constexpr (lanes == kFewLanes) {
    return bit_cast<V>(_mm_slli_epi32(_mm_cvtepu16_epi32(_mm_loadu_si64(from)), 16));
  }
#endif
  if constexpr (lanes == kLanes<float>) return load_widened(from);
}

template <int lanes>
inline Vector<float, lanes> widen_lanes(const Half* from) {
#if defined(__F16C__)
  if constexpr (lanes == 2 * kFewLanes) return _mm256_cvtph_ps(load_vector<__m128i>(from));
  if constexpr (lanes == kFewLanes) return _mm_cvtph_ps(_mm_loadu_si64(from));
#endif
  if constexpr (lanes == kLanes<float>) return load_widened(from);
}

template <int lanes>
inline void narrow_lanes(BFloat16* to, Vector<float, lanes> values) {
  const auto bits = float_to_bf16<Vector<uint32_t, lanes>>(values) >> 16;
  if constexpr (lanes == kLanes<float>) {
    store_halves(to, bits);
  } else {
    store_vector(to, cast_vector<uint16_t, lanes>(bits));
  }
}

template <int lanes>
inline void narrow_lanes(Half* to, Vector<float, lanes> values) {
#if defined(__F16C__)
  constexpr int kRounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  if constexpr (lanes == 2 * kFewLanes) store_vector(to, _mm256_cvtps_ph(values, kRounding));
  if constexpr (lanes == kFewLanes) _mm_storeu_si64(to, _mm_cvtps_ph(values, kRounding));
#endif
  if constexpr (lanes == kLanes<float>) store_narrowed(to, values);
}

// Fewer than kFewLanes. What lies in memory piece by piece is not read as one vector, which would
// wait for all of it.
template <typename T>
inline void widen_less(const char* from, char* to, int64_t n) {
  uint64_t bits = load<uint16_t>(from);
  if (n > 1) bits |= uint64_t{load<uint16_t>(from + 2)} << 16;
  if (n > 2) bits |= uint64_t{load<uint16_t>(from + 4)} << 32;
  T few[kFewLanes];
  std::memcpy(few, &bits, sizeof few);
  const auto wide = widen_lanes<kFewLanes>(few);
  store(to, float{wide[0]});
  if (n > 1) store(to + 4, float{wide[1]});
  if (n > 2) store(to + 8, float{wide[2]});
}

template <typename T>
inline void narrow_less(const char* from, char* to, int64_t n) {
  Vector<float, kFewLanes> values = {load<float>(from)};
  if (n > 1) values[1] = load<float>(from + 4);
  if (n > 2) values[2] = load<float>(from + 8);
  T few[kFewLanes];
  narrow_lanes<kFewLanes>(few, values);
  uint64_t bits;
  std::memcpy(&bits, few, sizeof bits);
  store(to, static_cast<uint16_t>(bits));
  if (n > 1) store(to + 2, static_cast<uint16_t>(bits >> 16));
  if (n > 2) store(to + 4, static_cast<uint16_t>(bits >> 32));
}

// Calls visit(lanes) with the widest of a vector, a half and a quarter of it that n elements fill,
// but for fewer than kFewLanes.
template <typename Visit>
inline void with_lanes(int64_t n, const Visit& visit) {
  constexpr int kAll = kLanes<float>;
  if (n >= kAll) return visit(std::integral_constant<int, kAll>());
  if constexpr (kAll > 2 * kFewLanes) {
    if (n >= 2 * kFewLanes) return visit(std::integral_constant<int, 2 * kFewLanes>());
  }
  if constexpr (kAll > kFewLanes) visit(std::integral_constant<int, kFewLanes>());
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
