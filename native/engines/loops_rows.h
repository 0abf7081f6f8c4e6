// SPDX-License-Identifier: Apache-2.0
// Loops whose first of two inputs is a single element. The result shares no memory with the other.
#pragma once

#include <cstdint>
#include <cstring>

#include "engines/loops_halves.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace loops {

// Elements beside whole vectors are computed in one that begins earlier.
template <typename T, Loop loop>
struct RowLoop {
  __attribute__((flatten)) static void run(const void* const* in, void* const* out, int64_t n,
                                           const Number* numbers) {
    constexpr int64_t kStep = kVectorBytes / sizeof(T);
    const int64_t whole = n < kStep ? n : n / kStep * kStep;
    loop(in, out, whole, numbers);
    if (whole == n) return;
    const void* const ins[] = {in[0], static_cast<const T*>(in[1]) + n - kStep};
    void* const outs[] = {static_cast<T*>(out[0]) + n - kStep};
    loop(ins, outs, kStep, numbers);
  }
};

// A loop of floats over 16-bit floats, as in loops_halves.h: the single element is widened once.
template <typename T, Loop loop>
class HalfRowLoop {
 public:
  __attribute__((flatten)) static void run(const void* const* in, void* const* out, int64_t n,
                                           const Number* numbers) {
    const float first = convert<float>(*static_cast<const T*>(in[0]));
    const auto* from = static_cast<const T*>(in[1]);
    auto* to = static_cast<T*>(out[0]);
    for (; n >= kStep; n -= kStep) {
      compute_step(first, from, to, numbers);
      from += kStep;
      to += kStep;
    }
    if (n == 0) return;
    T last[kStep] = {}, results[kStep];
    std::memcpy(last, from, n * sizeof(T));
    compute_step(first, last, results, numbers);
    std::memcpy(to, results, n * sizeof(T));
  }

 private:
  static constexpr int64_t kStep = kHalfStep;

  static void compute_step(float first, const T* from, T* to, const Number* numbers) {
    float wide[kStep], results[kStep];
    widen_step(from, wide);
    const void* const ins[] = {&first, wide};
    void* const outs[] = {results};
    loop(ins, outs, kStep, numbers);
    round_step(results, to);
  }
};

}  // namespace loops
}  // namespace ACLHOST_ISA
}  // namespace aclhost
