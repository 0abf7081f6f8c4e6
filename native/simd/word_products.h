// SPDX-License-Identifier: Apache-2.0
// Products of 32-bit numbers, of which g++ 12 makes those of 64 bits.
#pragma once

#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Of the lower halves of lanes.
inline Vector<uint64_t> multiply_words(Vector<uint64_t> words, uint32_t factor) {
  const auto factors = splat<Vector<uint64_t>>(factor);
#if defined(__AVX512F__)
  return bit_cast<Vector<uint64_t>>(
      _mm512_mul_epu32(bit_cast<__m512i>(words), bit_cast<__m512i>(factors)));
#elif defined(__AVX2__)
  return bit_cast<Vector<uint64_t>>(
      _mm256_mul_epu32(bit_cast<__m256i>(words), bit_cast<__m256i>(factors)));
#elif defined(__x86_64__)
  return bit_cast<Vector<uint64_t>>(
      _mm_mul_epu32(bit_cast<__m128i>(words), bit_cast<__m128i>(factors)));
#else
  return (words & 0xffffffffu) * factors;
#endif
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
