// SPDX-License-Identifier: Apache-2.0
// Numbers of any type as unsigned integers in the same order.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Every NaN has the largest key.
struct KeyType {
  // `flip` is 0, or largest() for the opposite order.
  using Encode = void (*)(const char* values, int64_t n, uint64_t flip, uint64_t* keys);
  // The numbers again, but for the sign of a zero and the bits of a NaN.
  using Decode = void (*)(const uint64_t* keys, int64_t n, uint64_t flip, char* values);

  uint64_t largest() const { return ~uint64_t{0} >> (64 - 8 * item_size); }
  uint64_t zero() const { return uint64_t{1} << (8 * item_size - 1); }  // of signed numbers

  Encode encode;
  Decode decode;
  int item_size;
  bool has_nan;
};

// For any real number type and BOOL. Zeros of both signs have one key, unless they shall differ.
KeyType key_type(aclDataType dtype, bool zeros_differ = false);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
