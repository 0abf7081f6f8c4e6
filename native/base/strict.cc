// SPDX-License-Identifier: Apache-2.0
#include "base/strict.h"

#include <cstdlib>
#include <cstring>

namespace aclhost {

bool is_strict() {
  static const bool strict = [] {
    const char* text = std::getenv("ACLHOST_STRICT");
    return text != nullptr && std::strcmp(text, "1") == 0;
  }();
  return strict;
}

}  // namespace aclhost
