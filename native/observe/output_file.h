// SPDX-License-Identifier: Apache-2.0
// Files that must be complete or be known not to be.
#pragma once

#include <string>

namespace aclhost {

// Puts text behind what is there, in one piece. Returns what went wrong, or nothing.
std::string append_to_file(const char* path, const std::string& text);

}  // namespace aclhost
