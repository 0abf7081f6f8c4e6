// SPDX-License-Identifier: Apache-2.0
// The gradient of the mean smooth L1 loss; the target is one row for all rows of the input.
//   aclhost run examples/smooth_l1_loss_backward.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "device.h"

int main() {
  const Device device;
  const DeviceTensor<float> gradient({1}, {6.0f});
  const DeviceTensor<float> input({2, 3}, {-3.0f, 0.75f, 0.0f, 0.25f, 2.0f, 1.0f});
  const DeviceTensor<float> target({3}, {0.0f, 1.0f, 1.0f});
  const DeviceTensor<float> result({2, 3}, std::vector<float>(6));
  const int64_t mean = 1;
  const float beta = 0.5f;

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(
      aclnnSmoothL1LossBackwardGetWorkspaceSize(gradient.handle, input.handle, target.handle, mean,
                                                beta, result.handle, &workspace_size, &executor),
      "aclnnSmoothL1LossBackwardGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnSmoothL1LossBackward(workspace.address, workspace_size, executor, device.stream),
        "aclnnSmoothL1LossBackward");
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  for (float value : result.to_host()) std::printf("%.9g\n", value);
  return 0;
}
