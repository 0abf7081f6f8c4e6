// SPDX-License-Identifier: Apache-2.0
// Elements as the vectors of a pool compare them.
//
// FLOAT is compared as it is. 16-bit types become integers in the same order, with twice as many to
// a vector: both zeros are 0, and NaN is above everything. doubtful() says which maxima have to be
// found by the definition: NaN, a zero that may be negative, and minus infinity, which in a window
// at the input's border may be padding.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/pooling/max_pool3d.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Mask>
inline bool any_lane(Mask mask) {
  const auto words = bit_cast<Vector<uint64_t>>(mask);
  uint64_t any = 0;
  for (int i = 0; i < kLanes<uint64_t>; ++i) any |= words[i];
  return any != 0;
}

template <typename T>
class PoolKeys;

template <>
class PoolKeys<float> {
 public:
  using Key = float;
  using Keys = Vector<float>;
  static constexpr Key kLowest = -std::numeric_limits<float>::infinity();

  Keys from_elements(Keys elements) { return elements; }
  static Keys to_elements(Keys keys) { return keys; }
  static bool saw_negative_zero() { return false; }  // it would not matter
  static MaskOf<Keys> doubtful(Keys keys, bool) { return keys == kLowest; }
};

template <int16_t infinity>
class ShortKeys {
 public:
  using Key = int16_t;
  using Keys = Vector<int16_t>;
  static constexpr Key kLowest = -infinity;

  Keys from_elements(Keys elements) {
    const Keys sign = elements >> 15, magnitude = elements & INT16_MAX;
    least_bits_ = elements < least_bits_ ? elements : least_bits_;
    return magnitude > infinity ? magnitude : (magnitude ^ sign) - sign;
  }
  static Keys to_elements(Keys keys) {
    const Keys sign = keys >> 15;
    return ((keys ^ sign) - sign) | (sign & kNegativeZero);
  }
  bool saw_negative_zero() const { return any_lane(least_bits_ == kNegativeZero); }
  static MaskOf<Keys> doubtful(Keys keys, bool saw_negative_zero) {
    const Keys zero = splat<Keys>(saw_negative_zero ? 0 : kLowest);
    return (keys > infinity) | (keys == kLowest) | (keys == zero);
  }

 private:
  static constexpr Key kNegativeZero = INT16_MIN;
  Keys least_bits_ = {};
};

template <>
class PoolKeys<Half> : public ShortKeys<0x7c00> {};
template <>
class PoolKeys<BFloat16> : public ShortKeys<0x7f80> {};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
