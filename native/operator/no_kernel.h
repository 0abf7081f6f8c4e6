// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "operator/views.h"

namespace aclhost {

// A kernel met a type that no check lets through; saying so beats trusting them.
Status no_kernel_for(const TensorView& view);

}  // namespace aclhost
