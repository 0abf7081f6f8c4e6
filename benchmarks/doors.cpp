// SPDX-License-Identifier: Apache-2.0
// The loop that doors.py times: a call of an operator as a program in C makes it.
#include "operators.h"

namespace {

// As clients keep one: it grows to the largest that was asked for.
class Workspace {
 public:
  ~Workspace() {
    if (address_ != nullptr) aclrtFree(address_);
  }
  aclError reach(uint64_t size) {
    if (size <= size_) return ACL_SUCCESS;
    if (address_ != nullptr) aclrtFree(address_);
    address_ = nullptr;
    size_ = 0;
    const aclError status = aclrtMalloc(&address_, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACL_SUCCESS) size_ = size;
    return status;
  }
  void* address() const { return address_; }

 private:
  void* address_ = nullptr;
  uint64_t size_ = 0;
};

aclnnStatus call_once(const Operator& op, const Arguments& arguments, Workspace* workspace,
                      aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnStatus status = op.phase_one(arguments, &size, &executor);
  if (status == ACL_SUCCESS) status = workspace->reach(size);
  if (status == ACL_SUCCESS) status = op.phase_two(workspace->address(), size, executor, stream);
  return status == ACL_SUCCESS ? aclrtSynchronizeStream(stream) : status;
}

}  // namespace

extern "C" aclnnStatus call_repeatedly(int64_t op, const Argument* given, int64_t count,
                                       int64_t calls, aclrtStream stream) {
  const Arguments arguments(given, given + count);
  Workspace workspace;
  for (int64_t i = 0; i < calls; ++i) {
    const aclnnStatus status = call_once(kOperators[op], arguments, &workspace, stream);
    if (status != ACL_SUCCESS) return status;
  }
  return ACL_SUCCESS;
}
