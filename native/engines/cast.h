// SPDX-License-Identifier: Apache-2.0
// Note [Casts]
// From any of BOOL, the integers, FLOAT16, BF16, FLOAT, DOUBLE and the complex types to any other,
// with one rounding.
//   to a floating type   to nearest even; overflow becomes infinity
//   floating to integer  towards zero, NaN becomes 0. What does not fit is the nearest INT32 (INT64
//                        for 64 bits and UINT32; UINT64 above it) and wraps to the narrower type
//   integer to integer   wraps
//   to BOOL              whether it is not 0; NaN is true
//   real to complex      the imaginary part is 0
//   complex to real      the real part
// Arrays also between 8-bit floats and FLOAT, FLOAT16, BF16: cast_bytes.h.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Contiguous arrays, aligned anyhow; `to` may be `from` if the elements have the same size.
using CastArray = void (*)(const char* from, char* to, int64_t n);
CastArray find_array_cast(aclDataType from, aclDataType to);  // null: none

// Elements with strides in bytes.
using CastRun = void (*)(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                         int64_t n);
CastRun find_cast(aclDataType from, aclDataType to);  // null: none

}  // namespace ACLHOST_ISA
}  // namespace aclhost
