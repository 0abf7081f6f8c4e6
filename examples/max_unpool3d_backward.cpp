// SPDX-License-Identifier: Apache-2.0
// The gradient of max unpooling: four values gathered from a volume of 2 x 3 x 4.
//   aclhost run examples/max_unpool3d_backward.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "device.h"

int main() {
  const Device device;
  std::vector<float> gradients(24);
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i] = 0.25f * static_cast<float>(i);
  const DeviceTensor<float> gradient({1, 1, 2, 3, 4}, gradients);
  const DeviceTensor<float> input({1, 1, 1, 2, 2}, std::vector<float>(4));
  const DeviceTensor<int64_t> indices({1, 1, 1, 2, 2}, {5, 0, 23, 14});
  const DeviceTensor<float> result({1, 1, 1, 2, 2}, std::vector<float>(4));
  const int64_t output_values[] = {2, 3, 4}, stride_values[] = {2, 2, 2},
                padding_values[] = {0, 0, 0};
  aclIntArray* output_size = aclCreateIntArray(output_values, 3);
  aclIntArray* stride = aclCreateIntArray(stride_values, 3);
  aclIntArray* padding = aclCreateIntArray(padding_values, 3);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnMaxUnpool3dBackwardGetWorkspaceSize(gradient.handle, input.handle, indices.handle,
                                                 output_size, stride, padding, result.handle,
                                                 &workspace_size, &executor),
        "aclnnMaxUnpool3dBackwardGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnMaxUnpool3dBackward(workspace.address, workspace_size, executor, device.stream),
        "aclnnMaxUnpool3dBackward");
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  for (float value : result.to_host()) std::printf("%.9g\n", value);

  aclDestroyIntArray(output_size);
  aclDestroyIntArray(stride);
  aclDestroyIntArray(padding);
  return 0;
}
