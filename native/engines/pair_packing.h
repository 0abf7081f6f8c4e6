// SPDX-License-Identifier: Apache-2.0
// Factors of a product of 16-bit floats, packed in pairs of terms: 32-bit words.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/gemm_plan.h"
#include "simd/simd.h"
#include "simd/transpose.h"

#if defined(__AVX512F__)
namespace aclhost {
inline namespace ACLHOST_ISA {
namespace pair_packing {

constexpr int64_t kColumns = 32;  // that are packed side by side

// A factor as arrays of terms, or of what else it has: rows of a, columns of b.
struct Side {
  const uint16_t* data;
  int64_t term_step, other_step;
};

// Two arrays of elements become one of pairs; the second may be missing. Whole vectors are written:
// what lies behind n is packed later, or nobody's.
inline void join_arrays(const uint16_t* first, const uint16_t* second, int64_t n, uint32_t* to) {
  constexpr int64_t kWords = 16;
  for (int64_t i = 0; i < n; i += kWords) {
    const int64_t count = std::min(kWords, n - i);
    const auto some = static_cast<__mmask16>((1u << count) - 1);
    const auto widened = [&](const uint16_t* from) {
      return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, from + i));
    };
    __m512i pairs = widened(first);
    if (second != nullptr) pairs |= _mm512_slli_epi32(widened(second), 16);
    _mm512_storeu_si512(to + i, pairs);
  }
}

// Whether terms lie in memory pair by pair.
inline bool has_pairs(const Side& side) {
  return side.term_step == 1 && side.other_step % 2 == 0 &&
         reinterpret_cast<uintptr_t>(side.data) % sizeof(uint32_t) == 0;
}

inline uint32_t pair_at(const Side& side, int64_t term, int64_t terms, int64_t other) {
  const uint16_t* const place = side.data + term * side.term_step + other * side.other_step;
  const uint32_t second = term + 1 < terms ? place[side.term_step] : 0;
  return place[0] | second << 16;
}

// As many as a block has columns, in two vectors.
inline void join_columns(const uint16_t* first, const uint16_t* second, uint32_t* to) {
  const __m512i odd = second != nullptr ? _mm512_loadu_si512(second) : _mm512_setzero_si512();
  const __m512i even = _mm512_loadu_si512(first);
  const __m512i low = _mm512_unpacklo_epi16(even, odd), high = _mm512_unpackhi_epi16(even, odd);
  const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, front, high));
  _mm512_storeu_si512(to + kColumns / 2, _mm512_permutex2var_epi64(low, back, high));
}

// Two terms, of which the second may be missing, of up to kColumns neighbours.
inline void join_terms(const Side& side, int64_t term, int64_t terms, int64_t n, uint32_t* to) {
  const uint16_t* const first = side.data + term * side.term_step;
  const uint16_t* const second = term + 1 < terms ? first + side.term_step : nullptr;
  if (n == kColumns) return join_columns(first, second, to);
  join_arrays(first, second, n, to);
}

// [pair][n], with room for `width`; what lies behind n means nothing.
inline void pack(const Side& side, int64_t terms, int64_t n, int64_t width, uint32_t* to) {
  if (side.other_step == 1) {
    for (int64_t term = 0; term < terms; term += 2) {
      join_terms(side, term, terms, n, to);
      to += width;
    }
    return;
  }
  const int64_t whole = has_pairs(side) ? terms / 2 : 0;
  const Columns<uint32_t> pairs = {reinterpret_cast<const uint32_t*>(side.data),
                                   side.other_step / 2};
  if (whole > 0) transpose(pairs, whole, n, to, width);
  for (int64_t pair = whole; 2 * pair < terms; ++pair) {
    for (int64_t i = 0; i < n; ++i) to[pair * width + i] = pair_at(side, 2 * pair, terms, i);
  }
}

inline Side rows_of(const BatchedMatrix& a, int64_t offset, int64_t row, int64_t term) {
  const auto* const data = reinterpret_cast<const uint16_t*>(a.at(offset, row, term));
  return {data, a.column_stride, a.row_stride};
}
inline Side columns_of(const BatchedMatrix& b, int64_t offset, int64_t term, int64_t column) {
  const auto* const data = reinterpret_cast<const uint16_t*>(b.at(offset, term, column));
  return {data, b.row_stride, b.column_stride};
}

}  // namespace pair_packing
}  // namespace ACLHOST_ISA
}  // namespace aclhost
#endif
