// SPDX-License-Identifier: Apache-2.0
#include "engines/scalars.h"

#include <cstring>

#include "dtypes.h"
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

namespace {

bool is_complex(aclDataType dtype) { return data_type_category(dtype) == TypeCategory::kComplex; }

}  // namespace

bool scalar_as(const ScalarValue& scalar, aclDataType dtype, char* element) {
  if (scalar.dtype == dtype && dtype != ACL_BOOL) {
    std::memcpy(element, scalar.bytes, sizeof scalar.bytes);
    return true;
  }
  // A complex scalar reads as 0 where a real number is wanted.
  const bool is_read_as_0 = is_complex(scalar.dtype) && !is_complex(dtype);
  const CastArray direct = is_read_as_0 ? nullptr : find_array_cast(scalar.dtype, dtype);
  if (direct != nullptr) {
    direct(reinterpret_cast<const char*>(scalar.bytes), element, 1);
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
