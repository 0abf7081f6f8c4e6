// SPDX-License-Identifier: Apache-2.0
// Max pooling and its gradient; the indices go from one to the other on the device.
//   aclhost run examples/max_pool3d_with_argmax_backward.cpp
#include <cstdio>
#include <vector>

#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "device.h"

int main() {
  const Device device;
  const std::vector<int64_t> whole = {1, 1, 2, 3, 3}, pooled = {1, 1, 1, 2, 2};
  std::vector<float> x(18);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 18);
  const DeviceTensor<float> input(whole, x);
  const DeviceTensor<float> output(pooled, std::vector<float>(4));
  const DeviceMemory indices_memory(4 * sizeof(int32_t));
  aclTensor* indices = aclCreateTensor(pooled.data(), 5, ACL_INT32, nullptr, 0, ACL_FORMAT_ND,
                                       pooled.data(), 5, indices_memory.address);
  const int64_t two = 2, one = 1, zero = 0;
  aclIntArray* kernel_size = aclCreateIntArray(&two, 1);
  aclIntArray* stride = aclCreateIntArray(&one, 1);
  aclIntArray* padding = aclCreateIntArray(&zero, 1);
  aclIntArray* dilation = aclCreateIntArray(&one, 1);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnMaxPool3dWithArgmaxGetWorkspaceSize(input.handle, kernel_size, stride, padding,
                                                 dilation, false, output.handle, indices,
                                                 &workspace_size, &executor),
        "aclnnMaxPool3dWithArgmaxGetWorkspaceSize");
  const DeviceMemory workspace(workspace_size);
  check(aclnnMaxPool3dWithArgmax(workspace.address, workspace_size, executor, device.stream),
        "aclnnMaxPool3dWithArgmax");

  const DeviceTensor<float> gradient(pooled, {1.0f, 0.5f, 0.25f, 0.125f});
  const DeviceTensor<float> result(whole, std::vector<float>(18));
  check(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
            gradient.handle, input.handle, indices, kernel_size, stride, padding, dilation, false,
            result.handle, &workspace_size, &executor),
        "aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize");
  const DeviceMemory backward_workspace(workspace_size);
  check(aclnnMaxPool3dWithArgmaxBackward(backward_workspace.address, workspace_size, executor,
                                         device.stream),
        "aclnnMaxPool3dWithArgmaxBackward");
  check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
  for (float value : output.to_host()) std::printf("%.9g\n", value);
  for (float value : result.to_host()) std::printf("%.9g\n", value);

  aclDestroyTensor(indices);
  aclDestroyIntArray(kernel_size);
  aclDestroyIntArray(stride);
  aclDestroyIntArray(padding);
  aclDestroyIntArray(dilation);
  return 0;
}
