// SPDX-License-Identifier: Apache-2.0
// Scalars in the types that loops want.
#pragma once

#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The type a loop computes in for elements of a type: FLOAT for the narrower floating types,
// COMPLEX64 for COMPLEX32, else the type itself.
aclDataType loop_type(aclDataType dtype);

// The scalar as an element of the type, in 16 bytes; false if there is no such cast.
bool scalar_as(const ScalarValue& scalar, aclDataType dtype, char* element);

inline ScalarValue double_value(double value) {
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = ACL_DOUBLE;
  __builtin_memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
