// SPDX-License-Identifier: Apache-2.0
// What the functions of HCCL share. There is one rank, so that a communicator is little more than
// its handle.
#pragma once

#include <string>

#include "base/call.h"
#include "hccl/hccl.h"

namespace aclhost {

// Report a failure, and are its code.
HcclResult hccl_null(const char* function, const char* parameter);
HcclResult hccl_refuse(HcclResult code, const char* function, const char* parameter,
                       const std::string& what);

// Whether it is a live communicator.
HcclResult check_communicator(const char* function, HcclComm comm);

// Runs a body that no exception leaves.
template <typename Body>
HcclResult hccl_call(const char* name, const Body& body) {
  HcclResult result = HCCL_E_RUNTIME;
  const int32_t code = acl_call(name, [&](const Call&) {
    result = body(name);
    return ACL_SUCCESS;
  });
  return code == ACL_SUCCESS ? result : HCCL_E_RUNTIME;
}

}  // namespace aclhost
