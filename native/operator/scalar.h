// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "operator/views.h"

namespace aclhost {

// Towards zero, the nearest that 64 bits hold; NaN and complex numbers are 0.
int64_t integer_of(const ScalarValue& scalar);

}  // namespace aclhost
