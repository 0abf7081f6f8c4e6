// SPDX-License-Identifier: Apache-2.0
// Members of descriptions that come and go as bytes with a length.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "base/call.h"

namespace aclhost {

inline int32_t wrong_length(const Call& call, size_t given, size_t needed) {
  return call.fail(
      ACL_ERROR_INVALID_PARAM, "len",
      "is " + std::to_string(given) + "; the parameter has " + std::to_string(needed) + " bytes");
}

template <typename T>
int32_t give_bytes(const Call& call, const T& value, size_t room, size_t* size, void* to) {
  if (room < sizeof value) return wrong_length(call, room, sizeof value);
  std::memcpy(to, &value, sizeof value);
  *size = sizeof value;
  return ACL_SUCCESS;
}

// Half a value is refused as well: half a pointer would lead anywhere.
template <typename T>
int32_t take_bytes(const Call& call, T* value, size_t size, const void* from) {
  if (size != sizeof *value) return wrong_length(call, size, sizeof *value);
  std::memcpy(value, from, size);
  return ACL_SUCCESS;
}

inline int32_t no_such_type(const Call& call, int type) {
  return call.fail(ACL_ERROR_INVALID_PARAM, "type", "is " + std::to_string(type));
}

}  // namespace aclhost
