// SPDX-License-Identifier: Apache-2.0
// The gradient of resizing a volume of 1 x 2 x 3 to 2 x 3 x 7: every input sums its outputs.
//   aclhost run examples/upsample_nearest3d_backward.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "device.h"

int main() {
  const Device device;
  std::vector<float> gradients(42);
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i] = 0.25f * static_cast<float>(i);
  const DeviceTensor<float> gradient({1, 1, 2, 3, 7}, gradients);
  const DeviceTensor<float> result({1, 1, 1, 2, 3}, std::vector<float>(6));
  const int64_t output_values[] = {2, 3, 7}, input_values[] = {1, 1, 1, 2, 3};
  aclIntArray* output_size = aclCreateIntArray(output_values, 3);
  aclIntArray* input_size = aclCreateIntArray(input_values, 5);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  // Scales of 0 leave the ratio to the sizes.
  check(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(gradient.handle, output_size, input_size,
                                                       0.0, 0.0, 0.0, result.handle,
                                                       &workspace_size, &executor),
        "aclnnUpsampleNearest3dBackwardGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnUpsampleNearest3dBackward(workspace.address, workspace_size, executor, device.stream),
        "aclnnUpsampleNearest3dBackward");
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  for (float value : result.to_host()) std::printf("%.9g\n", value);

  aclDestroyIntArray(output_size);
  aclDestroyIntArray(input_size);
  return 0;
}
