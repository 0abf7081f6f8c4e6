// SPDX-License-Identifier: Apache-2.0
// As 117 of the upstream examples do: functions as deleters; and as 18 of them: they run after
// aclFinalize, one even after main.
#include <memory>

#include "client.h"

namespace {

std::unique_ptr<void, aclError (*)(void*)> last_to_go(nullptr, aclrtFree);

void run() {
  std::unique_ptr<void, aclError (*)(void*)> source(device_floats({-1, 1}), aclrtFree);
  std::unique_ptr<void, aclError (*)(void*)> target(device_floats({0, 0}), aclrtFree);
  last_to_go.reset(device_floats({0}));
  std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor*)> x(tensor(2, source.get()),
                                                                  aclDestroyTensor);
  std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor*)> y(tensor(2, target.get()),
                                                                  aclDestroyTensor);
  float one = 1;
  std::unique_ptr<aclScalar, aclnnStatus (*)(const aclScalar*)> scalar(
      aclCreateScalar(&one, ACL_FLOAT), aclDestroyScalar);
  const int64_t number = 3;
  std::unique_ptr<aclIntArray, aclnnStatus (*)(const aclIntArray*)> array(
      aclCreateIntArray(&number, 1), aclDestroyIntArray);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x.get(), scalar.get(), scalar.get(), scalar.get(), y.get(), &size,
                              &executor));
  OK(aclnnElu(nullptr, size, executor, nullptr));
  OK(aclrtSynchronizeStream(nullptr));
  REQUIRE(host_floats(target.get(), 2)[1] == 1);
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  run();
  std::puts("ok");
}
