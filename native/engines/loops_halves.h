// SPDX-License-Identifier: Apache-2.0
// Loops of floats over 16-bit floats. Blocks of floats in the cache would double the time of a loop
// that takes no longer than conversions do: here a few vectors at a time are widened, computed and
// rounded, and stay in registers.
#pragma once

#include <cstdint>
#include <cstring>

#include "engines/loops.h"
#include "simd/math_half.h"
#include "simd/pairs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

// Elements that are computed together, with every instruction set: compilers turn shorter loops
// into single elements before they look for vectors.
constexpr int64_t kHalfStep = 32;
constexpr int64_t kInPair = 2 * kLanes<float>;
static_assert(kHalfStep % kInPair == 0);

template <typename T>
ACLHOST_INLINE void widen_step(const T* from, float* to) {
  for (int64_t i = 0; i < kHalfStep; i += kInPair) {
    const Pair<T> pair = load_pair(from + i);
    store_vector(to + i, pair.first);
    store_vector(to + i + kLanes<float>, pair.second);
  }
}

template <typename T>
ACLHOST_INLINE void round_step(const float* from, T* to) {
  for (int64_t i = 0; i < kHalfStep; i += kInPair) {
    const auto first = load_vector<Vector<float>>(from + i);
    const auto second = load_vector<Vector<float>>(from + i + kLanes<float>);
    put_pair<Store>(to + i, Pair<T>{first, second});
  }
}

// `loop` has `ins` arrays of floats in and `outs` out.
template <typename T, Loop loop, int ins, int outs>
class HalfLoop {
 public:
  __attribute__((flatten)) static void run(const void* const* in, void* const* out, int64_t n,
                                           const Number* numbers) {
    const T* from[ins];
    T* to[outs];
    for (int k = 0; k < ins; ++k) from[k] = static_cast<const T*>(in[k]);
    for (int k = 0; k < outs; ++k) to[k] = static_cast<T*>(out[k]);
    for (; n >= kStep; n -= kStep) {
      compute_step(from, to, numbers);
      for (int k = 0; k < ins; ++k) from[k] += kStep;
      for (int k = 0; k < outs; ++k) to[k] += kStep;
    }
    if (n > 0) run_rest(from, to, n, numbers);
  }

 private:
  static constexpr int64_t kStep = kHalfStep;

  // An output may be an input: everything is read before anything is written.
  static void compute_step(const T* const* in, T* const* out, const Number* numbers) {
    float wide[ins][kStep], results[outs][kStep];
    const void* from[ins];
    void* to[outs];
    for (int k = 0; k < ins; ++k) {
      widen_step(in[k], wide[k]);
      from[k] = wide[k];
    }
    for (int k = 0; k < outs; ++k) to[k] = results[k];
    loop(from, to, kStep, numbers);
    for (int k = 0; k < outs; ++k) round_step(results[k], out[k]);
  }

  // Less than a step, as a whole one.
  __attribute__((noinline)) static void run_rest(const T* const* in, T* const* out, int64_t n,
                                                 const Number* numbers) {
    T last[ins][kStep] = {}, results[outs][kStep];
    const void* from[ins];
    void* to[outs];
    for (int k = 0; k < ins; ++k) from[k] = std::memcpy(last[k], in[k], n * sizeof(T));
    for (int k = 0; k < outs; ++k) to[k] = results[k];
    run(from, to, kStep, numbers);
    for (int k = 0; k < outs; ++k) std::memcpy(out[k], results[k], n * sizeof(T));
  }
};

// Angles of many turns have a branch of their own: Note [Near operands].
template <typename T>
ACLHOST_INLINE T half_sin(T x) {
  return math::half_is_near(x) ? math::half_sin_near(x) : math::sin(x);
}
template <typename T>
ACLHOST_INLINE T half_cos(T x) {
  return math::half_is_near(x) ? math::half_cos_near(x) : math::cos(x);
}
template <typename T, typename Operand>
ACLHOST_INLINE bool all_half_near(int64_t first, int64_t last, Operand x) {
  uint32_t far = 0;
  for (int64_t i = first; i < last; ++i) far |= math::half_is_near(element(x, i)) ? 0u : 1u;
  return far == 0;
}

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
