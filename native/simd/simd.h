// SPDX-License-Identifier: Apache-2.0
// Vectors of elements, and the only place with intrinsics.
//
// A Vector is the compiler's own vector type, so +, *, <, ?: and & work on it as on a number and a
// function written for a number is a function of vectors, too, if it is a template. What the
// language lacks stands here: memory, conversions, fused multiply-add and stores past the cache.
// std::experimental::simd offers less: it has no permutations, which resizing and pooling live on.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "simd/cache.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T, int lanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * lanes)));
};
template <typename T, int lanes = kLanes<T>>
using Vector = typename VectorOf<T, lanes>::type;

template <typename V>
using Element = std::decay_t<decltype(std::declval<V&>()[0])>;
template <typename V>
using MaskOf = decltype(V{} < V{});  // signed integers as wide as the elements, 0 or -1
template <typename V>
using UnsignedOf = Vector<std::make_unsigned_t<Element<MaskOf<V>>>, sizeof(V) / sizeof(Element<V>)>;

template <typename V>
inline V splat(Element<V> value) {
  return value - V{};  // adding would lose the sign of -0
}

template <typename V>
inline V load_vector(const void* from) {
  V vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <typename V>
inline void store_vector(void* to, V vector) {
  std::memcpy(to, &vector, sizeof vector);
}

// The same numbers in another type.
template <typename To, int lanes, typename From>
inline Vector<To, lanes> cast_vector(From from) {
  return __builtin_convertvector(from, Vector<To, lanes>);
}

template <typename V, int... lane>
inline Vector<Element<V>, sizeof...(lane)> join(V a, V b, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, b, lane...);
}

// The lower and the upper half of the lanes, as doubles; g++ 12 makes several steps of either.
inline Vector<double> low_doubles(Vector<float> v) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm512_castps512_ps256(v));
#elif defined(__AVX2__)
  return _mm256_cvtps_pd(_mm256_castps256_ps128(v));
#else
  return Vector<double>{v[0], v[1]};
#endif
}
inline Vector<double> high_doubles(Vector<float> v) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
#elif defined(__AVX2__)
  return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
#else
  return Vector<double>{v[2], v[3]};
#endif
}

// a * b + c, rounded once where the processor can.
inline Vector<float> multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}
inline Vector<double> multiply_add(Vector<double> a, Vector<double> b, Vector<double> c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f64(c, a, b);
#else
  return a * b + c;
#endif
}

// value * 2^exponent for whole exponents, rounded once.
#if defined(__AVX512F__)
constexpr bool kScalesByPowers = true;
inline Vector<float> scale_by_power(Vector<float> value, Vector<float> exponent) {
  return _mm512_scalef_ps(value, exponent);
}
inline Vector<double> scale_by_power(Vector<double> value, Vector<double> exponent) {
  return _mm512_scalef_pd(value, exponent);
}
#else
constexpr bool kScalesByPowers = false;
template <typename V>
V scale_by_power(V value, V exponent);
#endif

// Without its sign, NaN included.
template <typename V>
inline V absolute(V value) {
  constexpr auto kSign = std::numeric_limits<Element<MaskOf<V>>>::min();
  return bit_cast<V>(bit_cast<MaskOf<V>>(value) & ~kSign);
}

// The smaller and the larger; b where one of them is NaN.
template <typename V>
inline V minimum(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, Vector<float>>) return _mm512_min_ps(a, b);
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<V, Vector<float>>) return _mm256_min_ps(a, b);
#endif
  return a < b ? a : b;
}
template <typename V>
inline V maximum(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, Vector<float>>) return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<V, Vector<float>>) return _mm256_max_ps(a, b);
#endif
  return a > b ? a : b;
}

// 16-bit patterns as 32-bit ones and back; g++ 12 makes several steps of either.
using Halves = Vector<uint16_t, kLanes<uint32_t>>;

inline Vector<uint32_t> load_halves(const void* from) {
#if defined(__AVX512F__)
  return bit_cast<Vector<uint32_t>>(_mm512_cvtepu16_epi32(load_vector<__m256i>(from)));
#elif defined(__AVX2__)
  return bit_cast<Vector<uint32_t>>(_mm256_cvtepu16_epi32(load_vector<__m128i>(from)));
#else
  return cast_vector<uint32_t, kLanes<uint32_t>>(load_vector<Halves>(from));
#endif
}

inline void store_halves(void* to, Vector<uint32_t> words) {
#if defined(__AVX512F__)
  store_vector(to, _mm512_cvtepi32_epi16(bit_cast<__m512i>(words)));
#else
  store_vector(to, cast_vector<uint16_t, kLanes<uint32_t>>(words));
#endif
}

// As many elements as a vector of their compute type has lanes.
template <typename T>
using ComputeVector = Vector<ComputeType<T>>;

inline Vector<float> load_widened(const float* from) { return load_vector<Vector<float>>(from); }
inline Vector<double> load_widened(const double* from) { return load_vector<Vector<double>>(from); }

inline Vector<float> load_widened(const Half* from) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(load_vector<__m256i>(from));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(load_vector<__m128i>(from));
#elif defined(__aarch64__)
  return vcvt_f32_f16(load_vector<float16x4_t>(from));
#else
  return half_to_float<Vector<float>>(load_halves(from));
#endif
}

inline Vector<float> load_widened(const BFloat16* from) {
  return bit_cast<Vector<float>>(load_halves(from) << 16);
}

inline void store_narrowed(float* to, Vector<float> vector) { store_vector(to, vector); }
inline void store_narrowed(double* to, Vector<double> vector) { store_vector(to, vector); }

inline Halves narrow_to_half(Vector<float> vector) {
#if defined(__AVX512F__)
  constexpr int kRounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return bit_cast<Halves>(_mm512_cvtps_ph(vector, kRounding));
#elif defined(__F16C__)
  constexpr int kRounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return bit_cast<Halves>(_mm256_cvtps_ph(vector, kRounding));
#elif defined(__aarch64__)
  return bit_cast<Halves>(vcvt_f16_f32(vector));
#else
  return cast_vector<uint16_t, kLanes<float>>(float_to_half<Vector<uint32_t>>(vector));
#endif
}

inline void store_narrowed(Half* to, Vector<float> vector) {
  store_vector(to, narrow_to_half(vector));
}

inline void store_narrowed(BFloat16* to, Vector<float> vector) {
  store_halves(to, computed_to_bf16<Vector<uint32_t>>(vector) >> 16);
}

// Lanes at[0], at[1], ... of two vectors, counted through both.
template <typename T>
using LanePlace = Element<MaskOf<Vector<T>>>;
#if defined(__AVX512BW__) || defined(__AVX2__)
template <typename T>
constexpr bool kPicksLanes = sizeof(T) >= 2;
#else
template <typename T>
constexpr bool kPicksLanes = false;  // one by one
#endif
template <typename V>
inline V pick_lanes(V low, V high, MaskOf<V> at) {
#if defined(__AVX512BW__)
  const auto a = bit_cast<__m512i>(low), b = bit_cast<__m512i>(high), i = bit_cast<__m512i>(at);
  constexpr int size = sizeof(Element<V>);
  if constexpr (size == 8) return bit_cast<V>(_mm512_permutex2var_epi64(a, i, b));
  if constexpr (size == 4) return bit_cast<V>(_mm512_permutex2var_epi32(a, i, b));
  if constexpr (size == 2) return bit_cast<V>(_mm512_permutex2var_epi16(a, i, b));
#elif defined(__AVX2__)
  const auto a = bit_cast<__m256i>(low), b = bit_cast<__m256i>(high);
  if constexpr (sizeof(Element<V>) >= 4) {
    auto words = bit_cast<__m256i>(at);
    if constexpr (sizeof(Element<V>) == 8) {
      constexpr int64_t kSecondWord = int64_t{1} << 32;
      words = bit_cast<__m256i>((at << 1) + (at << 33) + kSecondWord);
    }
    const auto first = bit_cast<V>(_mm256_permutevar8x32_epi32(a, words));
    const auto second = bit_cast<V>(_mm256_permutevar8x32_epi32(b, words));
    return at < kLanes<Element<V>> ? first : second;
  } else if constexpr (sizeof(Element<V>) == 2) {
    // Bytes move inside of 16, so each quarter of both vectors is looked into.
    const auto bytes = bit_cast<__m256i>((at & 7) * 0x0202 + 0x0100);
    const auto quarter = at >> 3;
    V picked = bit_cast<V>(_mm256_shuffle_epi8(_mm256_permute2x128_si256(a, a, 0x00), bytes));
    const auto second = _mm256_shuffle_epi8(_mm256_permute2x128_si256(a, a, 0x11), bytes);
    const auto third = _mm256_shuffle_epi8(_mm256_permute2x128_si256(b, b, 0x00), bytes);
    const auto fourth = _mm256_shuffle_epi8(_mm256_permute2x128_si256(b, b, 0x11), bytes);
    picked = quarter == 1 ? bit_cast<V>(second) : picked;
    picked = quarter == 2 ? bit_cast<V>(third) : picked;
    return quarter == 3 ? bit_cast<V>(fourth) : picked;
  }
#endif
  const V both[] = {low, high};
  Element<V> lanes[2 * kLanes<Element<V>>];
  std::memcpy(lanes, both, sizeof lanes);
  V picked;
  for (int lane = 0; lane < kLanes<Element<V>>; ++lane) picked[lane] = lanes[at[lane]];
  return picked;
}

// Lanes at[0], at[1], ... of a vector.
#if defined(__AVX512BW__)
template <typename T>
constexpr bool kPermutesLanes = sizeof(T) == 2 || sizeof(T) == 4;  // in one step
#else
template <typename T>
constexpr bool kPermutesLanes = false;  // one by one
#endif
template <typename V>
inline V permute_lanes(V v, MaskOf<V> at) {
#if defined(__AVX512BW__)
  const auto from = bit_cast<__m512i>(v), i = bit_cast<__m512i>(at);
  if constexpr (sizeof(Element<V>) == 2) return bit_cast<V>(_mm512_permutexvar_epi16(i, from));
  if constexpr (sizeof(Element<V>) == 4) return bit_cast<V>(_mm512_permutexvar_epi32(i, from));
#endif
  V picked;
  for (int lane = 0; lane < kLanes<Element<V>>; ++lane) picked[lane] = v[at[lane]];
  return picked;
}

// Note [Stores past the cache]
// A result that does not stay in the cache anyway is written around it: the memory is then not read
// first, which saves a third to a half of the traffic. Inside the cache it costs more than it
// saves. Lines must be written as a whole and one after the other. Other threads see such stores
// after finish_streaming(). Operands of more than cache_bytes() are worth it.
template <typename V>
inline void stream_vector(void* aligned, V vector) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(aligned), bit_cast<__m512i>(vector));
#elif defined(__AVX2__)
  _mm256_stream_si256(static_cast<__m256i*>(aligned), bit_cast<__m256i>(vector));
#elif defined(__x86_64__)
  _mm_stream_si128(static_cast<__m128i*>(aligned), bit_cast<__m128i>(vector));
#else
  store_vector(aligned, vector);
#endif
}

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Copies a run to memory past the cache.
inline void stream_run(const void* from, int64_t bytes, void* to) {
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  const int64_t lead = -reinterpret_cast<intptr_t>(target) & (kVectorBytes - 1);
  if (lead >= bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(target, source, lead);
  int64_t i = lead;
  for (; i + kVectorBytes <= bytes; i += kVectorBytes) {
    stream_vector(target + i, load_vector<Vector<uint8_t>>(source + i));
  }
  std::memcpy(target + i, source + i, bytes - i);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
