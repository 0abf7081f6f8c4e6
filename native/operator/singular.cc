// SPDX-License-Identifier: Apache-2.0
#include "operator/singular.h"

#include <string>
#include <utility>

#include "acl/acl.h"

namespace aclhost {

Status singular_matrix(const char* op, int64_t number) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICPU_EXCEPTION;
  failure.parameter = "self";
  failure.rule = "invertible";
  failure.message = std::string(op) + ": self must hold matrices that have an inverse; number " +
                    std::to_string(number) +
                    " of them, counted from 0, has none. Its result was filled with NaN.";
  return Status::failed(std::move(failure));
}

}  // namespace aclhost
