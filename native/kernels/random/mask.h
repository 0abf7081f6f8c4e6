// SPDX-License-Identifier: Apache-2.0
// Masks of dropout: a bit for each element, in row-major order, from the least of each byte on.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "kernels/random/seed.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// To within the epsilon of double, as upstream.
inline bool is_certainly(double chance, double outcome) {
  return __builtin_fabs(chance - outcome) <= 0x1p-52;
}

// Words that keep an element: the least ones.
struct KeptWords {
  explicit KeptWords(float chance)
      : count(words_below(chance)), last(static_cast<uint32_t>(count - 1)) {}

  bool operator()(uint32_t word) const { return count != 0 && word <= last; }

  uint64_t count;  // up to 2^32
  uint32_t last;
};

// A bit of 1 for each flag of a multiple of 8 ones.
void pack_bits(const uint8_t* flags, uint8_t* bytes, int64_t count);

// A mask that drops each of so many elements by chance. Other bits are 0, but where nothing is
// dropped.
Status make_mask(const TensorView& mask, int64_t elements, double drop, const Seed& seed);

// out = in * scale where the mask has a 1, otherwise 0, rounded to the type of `in` first.
Status apply_mask(const TensorView& in, const TensorView& mask, float scale, const TensorView& out);

// The same with the scale 1 / (1 - drop), which is 1 or has no elements to scale at the ends.
Status drop(const TensorView& in, const TensorView& mask, double drop, const TensorView& out);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
