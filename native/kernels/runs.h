// SPDX-License-Identifier: Apache-2.0
// Runs of elements, for what plain loops do badly: half precision and stores past the cache. The
// only place with intrinsics.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "kernels/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether a run of such elements is best converted before and after it is computed with.
#if defined(__F16C__)
template <typename T>
constexpr bool kConvertsInRuns = std::is_same_v<T, Half>;
#else
template <typename T>
constexpr bool kConvertsInRuns = false;
#endif

inline void widen_run(const Half* from, int64_t count, float* to) {
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
#endif
  for (; i < count; ++i) to[i] = widen(from[i]);
}

inline void narrow_run(const float* from, int64_t count, Half* to) {
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= count; i += 8) {
    const __m128i halves =
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
#endif
  for (; i < count; ++i) to[i] = Narrow<Half>::from(from[i]);
}

// Copies past the cache, which memory that nobody reads soon would only pollute. Such stores become
// visible to other threads after finish_streaming().
inline void stream_run(const void* from, int64_t bytes, void* to) {
#if defined(__F16C__)
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  const int64_t lead = -reinterpret_cast<intptr_t>(target) & 31;
  if (lead < bytes) {
    std::memcpy(target, source, lead);
    int64_t i = lead;
    for (; i + 32 <= bytes; i += 32) {
      const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i));
      _mm256_stream_si256(reinterpret_cast<__m256i*>(target + i), part);
    }
    std::memcpy(target + i, source + i, bytes - i);
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

inline void finish_streaming() {
#if defined(__F16C__)
  _mm_sfence();
#endif
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
