// SPDX-License-Identifier: Apache-2.0
// Masks of dropout: a bit for each element, in row-major order, from the least of each byte on.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "kernels/random/seed.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// To within the epsilon of double, as upstream.
inline bool is_certainly(double chance, double outcome) {
  return __builtin_fabs(chance - outcome) <= 0x1p-52;
}

// Words for elements from one on.
using MaskWords = std::function<void(uint32_t* words, int64_t first, int64_t count)>;

// A mask that drops each of so many elements by chance. Other bits are 0, but where nothing is
// dropped.
Status make_mask(const TensorView& mask, int64_t elements, double drop, const MaskWords& fill);
Status make_mask(const TensorView& mask, int64_t elements, double drop, const Seed& seed);

// out = in * scale where the mask has a 1, otherwise 0, or in * 0 if multiplied; rounded to the
// type of `in` first.
Status apply_mask(const TensorView& in, const TensorView& mask, float scale, bool multiplied,
                  const TensorView& out);

// The same with the scale 1 / (1 - drop), which is 1 or has no elements to scale at the ends.
Status drop(const TensorView& in, const TensorView& mask, double drop, const TensorView& out);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
