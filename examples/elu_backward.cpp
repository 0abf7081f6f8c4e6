// SPDX-License-Identifier: Apache-2.0
// The gradient of ELU through the two-phase C interface, as it would run on a card.
//   aclhost run examples/elu_backward.cpp
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace {

// Stops with the runtime's own explanation.
void check(int status, const char* what) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s failed with %d\n%s\n", what, status, message ? message : "");
  std::exit(1);
}

struct DeviceTensor {
  void* address = nullptr;
  aclTensor* handle = nullptr;

  explicit DeviceTensor(const std::vector<float>& values) {
    const size_t bytes = values.size() * sizeof(float);
    const int64_t shape[] = {static_cast<int64_t>(values.size())};
    check(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
    handle = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, address);
  }
  ~DeviceTensor() {
    aclDestroyTensor(handle);
    aclrtFree(address);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
};

void elu_backward(aclrtStream stream) {
  const std::vector<float> x = {-3.0f, -1.0f, -0.25f, 0.0f, 0.5f, 2.0f};
  const DeviceTensor gradient(std::vector<float>(x.size(), 1.0f));
  const DeviceTensor input(x);
  const DeviceTensor result(std::vector<float>(x.size(), 0.0f));
  float alpha_value = 2.0f, scale_value = 1.5f, input_scale_value = 0.5f;
  aclScalar* alpha = aclCreateScalar(&alpha_value, ACL_FLOAT);
  aclScalar* scale = aclCreateScalar(&scale_value, ACL_FLOAT);
  aclScalar* input_scale = aclCreateScalar(&input_scale_value, ACL_FLOAT);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnEluBackwardGetWorkspaceSize(gradient.handle, alpha, scale, input_scale, false,
                                         input.handle, result.handle, &workspace_size, &executor),
        "aclnnEluBackwardGetWorkspaceSize");
  void* workspace = nullptr;
  if (workspace_size > 0) {
    check(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  check(aclnnEluBackward(workspace, workspace_size, executor, stream), "aclnnEluBackward");
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

  std::vector<float> host(x.size());
  const size_t bytes = host.size() * sizeof(float);
  check(aclrtMemcpy(host.data(), bytes, result.address, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
        "aclrtMemcpy");
  for (float value : host) std::printf("%.9g\n", value);

  if (workspace != nullptr) aclrtFree(workspace);
  aclDestroyScalar(alpha);
  aclDestroyScalar(scale);
  aclDestroyScalar(input_scale);
}

}  // namespace

int main() {
  aclrtStream stream = nullptr;
  check(aclInit(nullptr), "aclInit");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  check(aclrtCreateStream(&stream), "aclrtCreateStream");
  elu_backward(stream);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
