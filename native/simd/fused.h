// SPDX-License-Identifier: Apache-2.0
// Multiplications and additions that are rounded once.
#pragma once

#include "simd/bits.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// a * b + c, the same on every processor.
inline Vector<float> fused_multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__FMA__) || defined(__aarch64__)
  return multiply_add(a, b, c);
#else
  // The sum of doubles is made odd if something was lost: then rounding it again does no harm.
  using Wide = Vector<double, kLanes<float> >;
  const auto product = __builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide);
  const auto addend = __builtin_convertvector(c, Wide);
  const Wide sum = product + addend, back = sum - product;
  const Wide lost = (product - (sum - back)) + (addend - back);
  const auto bits = bit_cast<MaskOf<Wide> >(sum);
  const auto is_even = (bits & 1) == 0;
  const auto odd = (lost < 0) == (sum < 0) ? bits + 1 : bits - 1;
  const auto changes = is_even & ((lost < 0) | (lost > 0));
  return __builtin_convertvector(bit_cast<Wide>(changes ? odd : bits), Vector<float>);
#endif
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
