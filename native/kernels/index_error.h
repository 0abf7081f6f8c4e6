// SPDX-License-Identifier: Apache-2.0
// What a kernel reports that met an index outside the volume it points into.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "opbase/views.h"

namespace aclhost {

// `position` counts the elements of `indices` in row-major order; values from 0 to limit - 1 are
// allowed. The launch fails the way a device exception does; the other elements stay computed.
Status index_out_of_range(const char* op, const TensorView& indices, int64_t position,
                          int64_t value, int64_t limit);

}  // namespace aclhost
