// SPDX-License-Identifier: Apache-2.0
// Amounts of memory, as people write them and as the machine has them.
#pragma once

#include <cstddef>

namespace aclhost {

// Bytes from a text like 512M, with K, M, G or T. False if it is none.
bool parse_size(const char* text, size_t* size);

size_t machine_memory();  // in bytes

}  // namespace aclhost
