// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace aclhost {

// A stream that ends leaves no attributes, limits and allocator behind, and takes part in no
// capture.
void forget_stream(int32_t stream);
void forget_allocator(int32_t stream);
void forget_limits(int32_t stream);

}  // namespace aclhost
