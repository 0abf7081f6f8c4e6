// SPDX-License-Identifier: Apache-2.0
// What aclInit and aclFinalize have to do with dumps of tensors.
#pragma once

#include <string>

#include "base/call.h"

namespace aclhost {

// 0, or the reported failure, for the text of a configuration.
int32_t check_dump_config(const Call& call, const std::string& config);

// Lets launches write what a configuration asks for that was found good.
void start_dump(const std::string& config);

// Ends it; 0, or the reported failure if something could not be written.
int32_t end_dump(const Call& call);

}  // namespace aclhost
