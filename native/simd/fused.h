// SPDX-License-Identifier: Apache-2.0
// Multiplications and additions that are rounded once, the same on every processor.
#pragma once

#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace fused_detail {

// The sum of doubles is made odd if something was lost: then rounding it again does no harm.
template <typename Bits, typename Wide>
__attribute__((always_inline)) inline Wide odd_sum(Wide product, Wide addend) {
  const Wide sum = product + addend, back = sum - product;
  const Wide lost = (product - (sum - back)) + (addend - back);
  const auto bits = bit_cast<Bits>(sum);
  const auto odd = (lost < 0) == (sum < 0) ? bits + 1 : bits - 1;
  const auto changes = ((bits & 1) == 0) & ((lost < 0) | (lost > 0));
  return bit_cast<Wide>(changes ? odd : bits);
}

}  // namespace fused_detail

// a * b + c
inline Vector<float> fused_multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__FMA__) || defined(__aarch64__)
  return multiply_add(a, b, c);
#else
  using Wide = Vector<double, kLanes<float> >;
  const auto product = __builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide);
  const auto addend = __builtin_convertvector(c, Wide);
  const Wide sum = fused_detail::odd_sum<MaskOf<Wide> >(product, addend);
  return __builtin_convertvector(sum, Vector<float>);
#endif
}
__attribute__((always_inline)) inline float fused_multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  const double product = static_cast<double>(a) * b, addend = c;
  return static_cast<float>(fused_detail::odd_sum<int64_t>(product, addend));
#endif
}
// Where the processor cannot, the C library computes it.
__attribute__((always_inline)) inline double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
