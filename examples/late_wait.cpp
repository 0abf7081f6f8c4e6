// SPDX-License-Identifier: Apache-2.0
// A mistake on purpose: the result is copied first and the stream is waited for afterwards. It
// prints the right numbers here and may print others on a card; strict mode tells.
//   aclhost run --strict examples/late_wait.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_relu.h"
#include "device.h"

int main() {
  const Device device;
  const DeviceTensor<float> input({4}, {-2.0f, -1.0f, 0.0f, 1.0f});
  const DeviceTensor<float> result({4}, std::vector<float>(4));
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnReluGetWorkspaceSize(input.handle, result.handle, &workspace_size, &executor),
        "aclnnReluGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnRelu(workspace.address, workspace_size, executor, device.stream), "aclnnRelu");
  for (float value : result.to_host()) std::printf("%g\n", value);
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  return 0;
}
