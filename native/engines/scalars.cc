// SPDX-License-Identifier: Apache-2.0
#include "engines/scalars.h"

#include <cstring>

#include "engines/cast.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

aclDataType loop_type(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
    case ACL_BF16:
      return ACL_FLOAT;
    case ACL_COMPLEX32:
      return ACL_COMPLEX64;
    default:
      return dtype;
  }
}

bool scalar_as(const ScalarValue& scalar, aclDataType dtype, char* element) {
  if (scalar.dtype == dtype && dtype != ACL_BOOL) {
    std::memcpy(element, scalar.bytes, sizeof scalar.bytes);
    return true;
  }
  if (const CastArray cast = find_array_cast(scalar.dtype, dtype)) {
    cast(reinterpret_cast<const char*>(scalar.bytes), element, 1);
    return true;
  }
  // Types of one byte or less, which only scalars have: their values are doubles, too.
  const CastArray cast = find_array_cast(ACL_DOUBLE, dtype);
  if (cast == nullptr) return false;
  char value[sizeof(double)];
  store(value, scalar.to_double());
  cast(value, element, 1);
  return true;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
