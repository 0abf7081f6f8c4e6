// SPDX-License-Identifier: Apache-2.0
// As Paddle's macro does: no status is looked at, and what phase 1 did not make goes to phase 2.
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "client.h"

namespace {

// A tensor without elements, whose strides and offset mean nothing.
void sum_of_nothing() {
  aclrtSetDevice(0);
  void* memory = nullptr;
  aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  const int64_t shape[] = {0, 3}, strides[] = {int64_t{1} << 62, 1};
  aclTensor* nothing =
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, -1, ACL_FORMAT_ND, shape, 2, nullptr);
  aclTensor* sum =
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnSmoothL1LossGetWorkspaceSize(nothing, nothing, 1, 1.0F, sum, &size, &executor);
  aclnnSmoothL1Loss(nullptr, size, executor, nullptr);
  aclrtSynchronizeStream(nullptr);
  aclDestroyTensor(nothing);
  aclDestroyTensor(sum);
  aclrtFree(memory);
}

}  // namespace

int main() {
  aclInit(nullptr);
  void* memory = nullptr;
  aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(memory, 8, nullptr, 8, ACL_MEMCPY_HOST_TO_DEVICE);
  aclTensor* x = tensor(4, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnEluGetWorkspaceSize(x, nullptr, nullptr, nullptr, nullptr, &size, &executor);
  aclnnElu(nullptr, size, executor, nullptr);
  aclSetAclOpExecutorRepeatable(executor);
  aclDestroyAclOpExecutor(executor);
  aclrtSynchronizeStream(nullptr);
  aclrtSynchronizeStream(reinterpret_cast<aclrtStream>(x));
  aclrtRecordEvent(nullptr, nullptr);
  aclDestroyTensor(x);
  sum_of_nothing();
  aclDestroyTensor(nullptr);
  aclrtFree(memory);
  aclrtDestroyStream(nullptr);
  aclrtResetDevice(0);
  aclFinalize();
  aclFinalize();
  std::puts("ok");
}
