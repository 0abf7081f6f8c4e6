// SPDX-License-Identifier: Apache-2.0
// The gradient of ELU through the two-phase C interface, as it would run on a card.
//   aclhost run examples/elu_backward.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_elu_backward.h"
#include "device.h"

int main() {
  const Device device;
  const std::vector<float> x = {-3.0f, -1.0f, -0.25f, 0.0f, 0.5f, 2.0f};
  const DeviceTensor<float> gradient({6}, std::vector<float>(6, 1.0f));
  const DeviceTensor<float> input({6}, x);
  const DeviceTensor<float> result({6}, std::vector<float>(6));
  float alpha_value = 2.0f, scale_value = 1.5f, input_scale_value = 0.5f;
  aclScalar* alpha = aclCreateScalar(&alpha_value, ACL_FLOAT);
  aclScalar* scale = aclCreateScalar(&scale_value, ACL_FLOAT);
  aclScalar* input_scale = aclCreateScalar(&input_scale_value, ACL_FLOAT);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnEluBackwardGetWorkspaceSize(gradient.handle, alpha, scale, input_scale, false,
                                         input.handle, result.handle, &workspace_size, &executor),
        "aclnnEluBackwardGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnEluBackward(workspace.address, workspace_size, executor, device.stream),
        "aclnnEluBackward");
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  for (float value : result.to_host()) std::printf("%.9g\n", value);

  aclDestroyScalar(alpha);
  aclDestroyScalar(scale);
  aclDestroyScalar(input_scale);
  return 0;
}
