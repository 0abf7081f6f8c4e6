// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "aclnn/opdev/op_errno.h"
#include "base/errors.h"

// libaclhost_placeholders.so finds this function by its name.
extern "C" int32_t aclhost_not_computed(const char* name) {
  try {
    return aclhost::report(ACLNN_ERR_INNER_NULLPTR, name, "",
                           "aclhost knows this operator by its name and does not compute it; "
                           "`aclhost ops` lists those that it computes");
  } catch (...) {
    return ACLNN_ERR_INNER_NULLPTR;  // no memory for the text
  }
}
