// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/status.h"

namespace aclhost {

// A matrix has no inverse. The launch fails the way a task of a device's processor does; the
// other matrices stay inverted. `number` counts the matrices of self in row-major order.
Status singular_matrix(const char* op, int64_t number);

}  // namespace aclhost
