// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/cast.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Between HIFLOAT8, FLOAT8_E5M2 or FLOAT8_E4M3FN and FLOAT, FLOAT16 or BF16: to nearest, halves to
// even, in HIFLOAT8 away from zero. Null: none.
CastArray find_byte_cast(aclDataType from, aclDataType to);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
