// SPDX-License-Identifier: Apache-2.0
// Elements as bit patterns, for kernels that move them and never look inside.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "dtypes.h"
#include "operator/no_kernel.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Calls visit(zero) with a zero of the unsigned type that is as wide as the view's elements.
template <typename Visit>
Status visit_width(const TensorView& view, const Visit& visit) {
  switch (data_type_bits(view.dtype)) {
    case 8:
      return visit(uint8_t{0});
    case 16:
      return visit(uint16_t{0});
    case 32:
      return visit(uint32_t{0});
    case 64:
      return visit(uint64_t{0});
    default:
      return no_kernel_for(view);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
