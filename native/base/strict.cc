// SPDX-License-Identifier: Apache-2.0
#include "base/strict.h"

#include <cstdlib>
#include <cstring>

#include "base/immortal.h"

namespace aclhost {

namespace {

bool read_strict() {
  const char* text = std::getenv("ACLHOST_STRICT");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

}  // namespace

bool is_strict() { return once<bool, read_strict>(); }

}  // namespace aclhost
