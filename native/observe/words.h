// SPDX-License-Identifier: Apache-2.0
// Words that several findings share.
#pragma once

#include <cstdint>
#include <string>

#include "base/errors.h"
#include "observe/uses.h"

namespace aclhost {

inline std::string bytes(size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

inline std::string hex(uintptr_t address) {
  return aclhost::hex(reinterpret_cast<const void*>(address));
}

inline std::string what(const PendingUse& use) {
  return std::string(use.call) + " on stream " + std::to_string(use.moment.stream);
}

}  // namespace aclhost
