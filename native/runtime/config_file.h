// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/call.h"

namespace aclhost {

// 0 and the text of a JSON object in a file (nothing for a null or empty path), or the reported
// failure.
int32_t read_config(const Call& call, const char* parameter, const char* path, std::string* text);

}  // namespace aclhost
