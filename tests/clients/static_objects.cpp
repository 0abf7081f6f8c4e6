// SPDX-License-Identifier: Apache-2.0
// A cache with static storage: its destructor still computes, when main and what belongs to its
// thread are gone.
#include <numeric>

#include "aclnnop/aclnn_argsort.h"
#include "client.h"

namespace {

constexpr int64_t kCount = 1 << 16;

class Order {
 public:
  void prepare() {
    std::vector<float> falling(kCount);
    std::iota(falling.rbegin(), falling.rend(), 0.0f);
    values_ = device_floats(falling);
    OK(aclrtMalloc(&indices_, kCount * 8, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  void find() {
    aclTensor* x = tensor(kCount, values_);
    aclTensor* y =
        aclCreateTensor(&kCount, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, &kCount, 1, indices_);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    OK(aclnnArgsortGetWorkspaceSize(x, 0, false, y, &size, &executor));
    void* workspace = nullptr;
    if (size > 0) OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclnnArgsort(workspace, size, executor, nullptr));
    OK(aclrtSynchronizeStream(nullptr));
    int64_t first = -1;
    OK(aclrtMemcpy(&first, 8, indices_, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(first == kCount - 1);
    if (workspace != nullptr) OK(aclrtFree(workspace));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(y));
  }

  ~Order() {
    for (int i = 0; i < 3; ++i) find();
    OK(aclrtFree(values_));
    OK(aclrtFree(indices_));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    std::puts("ok");
  }

 private:
  void* values_ = nullptr;
  void* indices_ = nullptr;
};

Order order;

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  order.prepare();
  for (int i = 0; i < 3; ++i) order.find();
}
