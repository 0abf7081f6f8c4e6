// SPDX-License-Identifier: Apache-2.0
// The loop that doors.py times: a call of an operator as a program in C makes it.
#include "operators.h"

extern "C" aclnnStatus call_repeatedly(int64_t op, const Argument* given, int64_t count,
                                       int64_t calls, aclrtStream stream) {
  const Arguments arguments(given, given + count);
  for (int64_t i = 0; i < calls; ++i) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = kOperators[op].phase_one(arguments, &size, &executor);
    if (status == ACL_SUCCESS) status = kOperators[op].phase_two(nullptr, size, executor, stream);
    if (status == ACL_SUCCESS) status = aclrtSynchronizeStream(stream);
    if (status != ACL_SUCCESS) return status;
  }
  return ACL_SUCCESS;
}
