// SPDX-License-Identifier: Apache-2.0
// Sparse modes, as numbers of the interface.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/attention/attention.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kDefaultMask = 0, kCausal = 2, kCausalFromEnd = 3, kBandFromEnd = 4,
                  kPrefixCompressed = 6;

// Masks of these modes say nothing that places do not.
inline bool is_compressed(int64_t mode) {
  return (mode >= kCausal && mode <= kBandFromEnd) || mode == kPrefixCompressed;
}

// Places far outside any tensor must not overflow.
inline int64_t nearby(int64_t steps) {
  constexpr int64_t kFar = int64_t{1} << 40;
  return std::clamp(steps, -kFar, kFar);
}

inline Band band_of(int64_t mode, int64_t before, int64_t after, const IntArrayView& prefix) {
  Band band;
  if (mode == kDefaultMask || mode == kBandFromEnd) {
    band.before = nearby(before);
    band.after = nearby(after);
  }
  if (mode == kCausal || mode == kCausalFromEnd || mode == kPrefixCompressed) band.after = 0;
  band.from_end = mode == kCausalFromEnd || mode == kBandFromEnd || mode == kPrefixCompressed;
  if (mode == kPrefixCompressed) band.prefix = prefix;
  return band;
}

// What a mask and a mode hide.
inline void set_mask(Attention* attention, const TensorView& mask, int64_t mode, int64_t before,
                     int64_t after, const IntArrayView& prefix) {
  if (!mask.present || mask.rank < 2) return;
  attention->band = band_of(mode, before, after, prefix);
  if (!is_compressed(mode)) attention->mask = repeated_heads(mask);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
