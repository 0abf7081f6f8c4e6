// SPDX-License-Identifier: Apache-2.0
// Single elements of a floating type as double.
#pragma once

#include "acl/acl_base.h"
#include "simd/convert.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

inline double load_real(const char* address, aclDataType dtype) {
  switch (dtype) {
    case ACL_DOUBLE:
      return load<double>(address);
    case ACL_FLOAT16:
      return widen(load<Half>(address));
    case ACL_BF16:
      return widen(load<BFloat16>(address));
    default:
      return load<float>(address);
  }
}

inline void store_real(char* address, aclDataType dtype, double value) {
  switch (dtype) {
    case ACL_DOUBLE:
      return store(address, value);
    case ACL_FLOAT16:
      return store(address, convert<Half>(value));
    case ACL_BF16:
      return store(address, convert<BFloat16>(value));
    default:
      return store(address, static_cast<float>(value));
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
