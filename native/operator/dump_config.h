// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json_value.h"
#include "operator/dump.h"

namespace aclhost {

// What the member "dump" of a configuration asks for; nothing if it is not there or empty. Gives
// the empty text, or what is wrong with it.
std::string read_dump_config(const JsonValue& config, DumpSettings* settings);

}  // namespace aclhost
