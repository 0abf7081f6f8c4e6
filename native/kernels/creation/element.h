// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The scalar as upstream makes an element of it, as a scalar of the element's type: by Note
// [Casts], but complex numbers give 0 for real types, and BOOL is true for floating numbers from
// the epsilon of their type on.
ScalarValue as_element(const ScalarValue& scalar, aclDataType dtype);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
