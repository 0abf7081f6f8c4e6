// SPDX-License-Identifier: Apache-2.0
// As frameworks do: one pool for all workspaces, which grows; an operator that wants none is run at
// once, every other with what it asked for. Normalisation, its gradient and a product.
#include <cmath>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_matmul.h"
#include "client.h"

namespace {

constexpr int64_t kRows = 2, kColumns = 4;
aclrtStream stream;

class Pool {
 public:
  ~Pool() {
    if (memory_ != nullptr) aclrtFree(memory_);
  }
  void* at_least(uint64_t size) {
    if (size <= size_) return memory_;
    OK(aclrtSynchronizeStream(stream));  // whoever uses the old one
    if (memory_ != nullptr) OK(aclrtFree(memory_));
    OK(aclrtMalloc(&memory_, size, ACL_MEM_MALLOC_HUGE_FIRST));
    size_ = size;
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  uint64_t size_ = 0;
};

template <typename PhaseTwo>
void launch(Pool& pool, PhaseTwo* phase_two, uint64_t size, aclOpExecutor* executor) {
  void* workspace = size == 0 ? nullptr : pool.at_least(size);
  OK(phase_two(workspace, size, executor, stream));
}

aclTensor* matrix(void* memory, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns}, strides[] = {columns, 1};
  return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, memory);
}

bool near(float a, float b) { return std::fabs(a - b) < 1e-4f; }

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  {
    Pool pool;
    const std::vector<float> ones(kRows * kColumns, 1);
    void *x = device_floats({1, 2, 3, 4, 8, 6, 4, 2}), *y = device_floats(ones);
    void *mean = device_floats({0, 0}), *rstd = device_floats({0, 0});
    void *gradient = device_floats(ones), *result = device_floats(ones);
    void* product = device_floats({0, 0, 0, 0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclTensor *input = matrix(x, kRows, kColumns), *output = matrix(y, kRows, kColumns);
    aclTensor *means = matrix(mean, kRows, 1), *scales = matrix(rstd, kRows, 1);
    aclTensor* grad_out = matrix(gradient, kRows, kColumns);
    aclTensor* grad_in = matrix(result, kRows, kColumns);
    const int64_t columns = kColumns;
    aclIntArray* shape = aclCreateIntArray(&columns, 1);
    OK(aclnnLayerNormGetWorkspaceSize(input, shape, nullptr, nullptr, 0, output, means, scales,
                                      &size, &executor));
    REQUIRE(size > 0);
    launch(pool, aclnnLayerNorm, size, executor);
    const bool wanted[] = {true, false, false};
    aclBoolArray* mask = aclCreateBoolArray(wanted, 3);
    OK(aclnnLayerNormBackwardGetWorkspaceSize(grad_out, input, shape, means, scales, nullptr,
                                              nullptr, mask, grad_in, nullptr, nullptr, &size,
                                              &executor));
    REQUIRE(size > 0);
    launch(pool, aclnnLayerNormBackward, size, executor);
    const int64_t turned_shape[] = {kColumns, kRows}, turned_strides[] = {1, kColumns};
    const int64_t storage[] = {kRows, kColumns}, square[] = {kRows, kRows};
    const int64_t square_strides[] = {kRows, 1};
    aclTensor* turned = aclCreateTensor(turned_shape, 2, ACL_FLOAT, turned_strides, 0,
                                        ACL_FORMAT_ND, storage, 2, y);
    aclTensor* all =
        aclCreateTensor(square, 2, ACL_FLOAT, square_strides, 0, ACL_FORMAT_ND, square, 2, product);
    OK(aclnnMatmulGetWorkspaceSize(output, turned, all, 0, &size, &executor));
    REQUIRE(size > 0);
    launch(pool, aclnnMatmul, size, executor);
    for (aclTensor* each : {input, output, means, scales, grad_out, grad_in, turned, all}) {
      OK(aclDestroyTensor(each));
    }
    OK(aclDestroyIntArray(shape));
    OK(aclDestroyBoolArray(mask));
    OK(aclrtSynchronizeStream(stream));
    const std::vector<float> normal = host_floats(y, 8), back = host_floats(result, 8);
    const std::vector<float> products = host_floats(product, 4);
    REQUIRE(near(normal[0], -1.3416408f) && near(normal[4], 1.3416408f));
    for (const float each : back) REQUIRE(near(each, 0));  // a shift of a row changes nothing
    REQUIRE(near(products[0], 4) && near(products[1], -4) && near(products[3], 4));
    for (void* each : {x, y, mean, rstd, gradient, result, product}) OK(aclrtFree(each));
  }
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
