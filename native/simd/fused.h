// SPDX-License-Identifier: Apache-2.0
// Multiplications and additions that are rounded once, the same on every processor.
#pragma once

#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// a * b + c
#if defined(__FMA__) || defined(__aarch64__)

inline Vector<float> fused_multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
  return multiply_add(a, b, c);
}
__attribute__((always_inline)) inline float fused_multiply_add(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
__attribute__((always_inline)) inline double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#else

// Note [Fused without an instruction]
// The C library's fma() is exact there, too, but takes as long as fifty multiplications and more.
// Instead, a sum of doubles is made odd if something was lost: then rounding it again does no harm.
// Products of floats are doubles, those of doubles are sums of two.
namespace fused_detail {

// What a sum lost, exactly, unless it overflows.
template <typename Wide>
__attribute__((always_inline)) inline Wide lost_by(Wide sum, Wide a, Wide b) {
  const Wide back = sum - a;
  return (a - (sum - back)) + (b - back);
}

// Without branches, half of which would be guessed wrong.
template <typename Bits, typename Wide>
__attribute__((always_inline)) inline Wide odd_sum(Wide a, Wide b) {
  const Wide sum = a + b, lost = lost_by(sum, a, b);
  const auto is_lost = ((lost < 0) | (lost > 0)) & 1;
  const auto is_less = ((lost < 0) ^ (sum < 0)) & is_lost;
  return bit_cast<Wide>((bit_cast<Bits>(sum) - is_less) | is_lost);
}

// The number with half of the bits that is next to x: what is left has half of them, too.
__attribute__((always_inline)) inline double half_of(double x) {
  return bit_cast<double>((bit_cast<uint64_t>(x) + 0x4000000) & 0xFFFFFFFFF8000000);
}
__attribute__((always_inline)) inline double magnitude(double x) {
  return bit_cast<double>(bit_cast<uint64_t>(x) & 0x7FFFFFFFFFFFFFFF);
}

// Where parts of the product may overflow or underflow. Mostly a factor is 0, or the product is
// nothing beside c.
__attribute__((noinline)) inline double fused_extremes(double a, double b, double c) {
  const double product = a * b;
  const bool is_tiny = magnitude(product) < 0x1p-500 && magnitude(c) > 0x1p-400;
  return a == 0 || b == 0 || is_tiny ? product + c : __builtin_fma(a, b, c);
}

}  // namespace fused_detail

inline Vector<float> fused_multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
  using Wide = Vector<double, kLanes<float> >;
  const auto product = __builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide);
  const auto addend = __builtin_convertvector(c, Wide);
  const Wide sum = fused_detail::odd_sum<MaskOf<Wide> >(product, addend);
  return __builtin_convertvector(sum, Vector<float>);
}

// Only in the middle of two floats may a second rounding be wrong. Subnormal ones have others.
__attribute__((always_inline)) inline float fused_multiply_add(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c, sum = product + addend;
  const bool is_middle = (bit_cast<uint64_t>(sum) & 0x1FFFFFFF) == 0x10000000;
  const bool is_normal = fused_detail::magnitude(sum) >= 0x1p-126;
  if (__builtin_expect(!is_middle && is_normal, 1)) return static_cast<float>(sum);
  return static_cast<float>(fused_detail::odd_sum<int64_t>(product, addend));
}

// A product is the sum of two doubles, and that of them and c of three, of which the first two are
// rounded together. Functions that take many of these would become long; calls take little time.
// No factor of a moderate product is subnormal: such ones have no half of their bits to leave out.
__attribute__((noinline)) inline double fused_multiply_add(double a, double b, double c) {
  using namespace fused_detail;
  constexpr double kMost = 0x1p480, kLeast = 0x1p-540;
  const double product = a * b;
  const bool is_moderate = magnitude(product) > kLeast && magnitude(a) < kMost &&
                           magnitude(b) < kMost && magnitude(c) < kMost;
  if (__builtin_expect(!is_moderate, 0)) return fused_extremes(a, b, c);
  const double a_high = half_of(a), a_low = a - a_high, b_high = half_of(b), b_low = b - b_high;
  const double middle = a_high * b_low + a_low * b_high;
  const double low = ((a_high * b_high - product) + middle) + a_low * b_low;
  const double some = c + low, all = product + some;
  const double lost = lost_by(some, c, low), also_lost = lost_by(all, product, some);
  const double rest = lost + also_lost, result = all + rest, left = rest - (result - all);
  const bool is_middle = left != 0 && (result + 2 * left) - result == 2 * left;
  if (__builtin_expect(!is_middle, 1)) return result;
  return all + odd_sum<int64_t>(lost, also_lost);
}

#endif

}  // namespace ACLHOST_ISA
}  // namespace aclhost
