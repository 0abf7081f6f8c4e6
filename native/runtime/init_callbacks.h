// SPDX-License-Identifier: Apache-2.0
// Functions of other libraries that aclInit and aclFinalize call.
#pragma once

#include <cstdint>
#include <string>

namespace aclhost {

// The configuration of an initialized process; false if it is not initialized.
bool initial_configuration(std::string* text);

// Call the functions of their stages, as upstream orders these; the code of the first that fails.
int32_t tell_init(const std::string& configuration);
int32_t tell_finalize();

}  // namespace aclhost
