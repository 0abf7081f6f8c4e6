// SPDX-License-Identifier: Apache-2.0
// As llama.cpp's pool does: addresses for all memory that is free, behind which physical memory
// comes piece by piece; tensors lie across the borders. As vLLM does on Ascend: a model that sleeps
// gives its memory back and keeps its addresses.
#include "aclnnop/aclnn_add.h"
#include "views.h"

namespace {

class Pool {
 public:
  Pool() {
    size_t free = 0;
    properties_.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    properties_.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    properties_.memAttr = ACL_HBM_MEM_HUGE;
    properties_.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    OK(aclrtMemGetAllocationGranularity(&properties_, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED,
                                        &piece_));
    REQUIRE(piece_ > 0);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &all_));
    OK(aclrtReserveMemAddress(&start_, all_, 0, nullptr, 1));
  }
  ~Pool() {
    for (size_t i = 0; i < handles_.size(); ++i) sleep(i);
    OK(aclrtReleaseMemAddress(start_));
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  char* start() const { return static_cast<char*>(start_); }
  size_t piece() const { return piece_; }
  void grow() {
    handles_.push_back(nullptr);
    wake(handles_.size() - 1);
  }
  void wake(size_t number) {
    OK(aclrtMallocPhysical(&handles_[number], piece_, &properties_, 0));
    OK(aclrtMapMem(start() + number * piece_, piece_, 0, handles_[number], 0));
  }
  void sleep(size_t number) {
    OK(aclrtUnmapMem(start() + number * piece_));
    OK(aclrtFreePhysical(handles_[number]));
  }

 private:
  aclrtPhysicalMemProp properties_ = {};
  size_t piece_ = 0, all_ = 0;
  void* start_ = nullptr;
  std::vector<aclrtDrvMemHandle> handles_;
};

void add(void* a, void* b, void* sum, int64_t count) {
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  aclTensor *x = dense({count}, ACL_FLOAT, a), *y = dense({count}, ACL_FLOAT, b);
  aclTensor* z = dense({count}, ACL_FLOAT, sum);
  launch({x, y, z}, aclnnAddGetWorkspaceSize, aclnnAdd, x, y, alpha, z);
  OK(aclDestroyScalar(alpha));
}

}  // namespace

int main() {
  return on_a_device([] {
    Pool pool;
    pool.grow();
    const std::vector<float> values = {1, 2, 3, 4};
    const size_t bytes = values.size() * sizeof(float);
    void* first = pool.start();
    OK(aclrtMemcpy(first, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    pool.grow();  // what was written before stays
    char* across = pool.start() + pool.piece() - bytes / 2;
    add(first, first, across, 4);
    add(first, across, pool.start() + 4096, 4);
    OK(aclrtSynchronizeStream(stream));
    REQUIRE((host_floats(across, 4) == std::vector<float>{2, 4, 6, 8}));
    REQUIRE((host_floats(pool.start() + 4096, 4) == std::vector<float>{3, 6, 9, 12}));
    const std::vector<float> kept = host_floats(first, 4);
    pool.sleep(0);
    pool.wake(0);
    OK(aclrtMemcpy(first, bytes, kept.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    add(first, first, pool.start() + 4096, 4);  // at the addresses of before
    OK(aclrtSynchronizeStream(stream));
    REQUIRE((host_floats(pool.start() + 4096, 4) == std::vector<float>{2, 4, 6, 8}));
  });
}
