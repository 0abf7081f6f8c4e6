// SPDX-License-Identifier: Apache-2.0
// Elements in memory that belongs to a client, which is aligned as the client likes.
#pragma once

#include <cstring>

#include "kernels/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
T load(const char* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T>
void store(char* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
