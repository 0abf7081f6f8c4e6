// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "operator/launch.h"

namespace aclhost {

// Copies what the handles describe; fails for the first one that is not a live handle of its kind.
Status read_arguments(const Given* given, Args* args);

}  // namespace aclhost
