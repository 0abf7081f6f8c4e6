// SPDX-License-Identifier: Apache-2.0
// As FlagDNN does: double scalars, one-dimensional storage under a strided view, one executor that
// runs many times with other addresses.
#include "client.h"

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  double one = 1.0;
  aclScalar* scalar = aclCreateScalar(&one, ACL_DOUBLE);
  // A 3 x 2 view with gaps: rows of four floats, of which two belong to it.
  const int64_t shape[] = {3, 2}, strides[] = {4, 1}, storage[] = {12};
  std::vector<void*> inputs, outputs;
  for (int i = 0; i < 5; ++i) {
    inputs.push_back(device_floats(std::vector<float>(12, static_cast<float>(i))));
    outputs.push_back(device_floats(std::vector<float>(12, -1)));
  }
  aclTensor* x =
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, 1, ACL_FORMAT_ND, storage, 1, inputs[0]);
  aclTensor* y =
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, 1, ACL_FORMAT_ND, storage, 1, outputs[0]);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
  OK(aclSetAclOpExecutorRepeatable(executor));
  for (int round = 0; round < 20; ++round) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      OK(aclSetInputTensorAddr(executor, 0, x, inputs[i]));
      OK(aclSetOutputTensorAddr(executor, 0, y, outputs[i]));
      OK(aclnnElu(nullptr, 0, executor, stream));
    }
  }
  OK(aclrtSynchronizeStream(stream));
  OK(aclDestroyAclOpExecutor(executor));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<float> result = host_floats(outputs[i], 12);
    for (size_t k = 0; k < 12; ++k) {
      const bool inside = k % 4 == 1 || k % 4 == 2;
      REQUIRE(result[k] == (inside ? static_cast<float>(i) : -1.0F));
    }
    OK(aclrtFree(inputs[i]));
    OK(aclrtFree(outputs[i]));
  }
  OK(aclDestroyTensor(x));
  OK(aclDestroyTensor(y));
  OK(aclDestroyScalar(scalar));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
