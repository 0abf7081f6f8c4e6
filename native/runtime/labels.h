// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace aclhost {

// Ends the labels of a context, which nobody could destroy without it.
void forget_labels(uint64_t context);

}  // namespace aclhost
