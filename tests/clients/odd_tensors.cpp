// SPDX-License-Identifier: Apache-2.0
// Descriptions that real clients make: results with stride 0, empty tensors at a null address,
// rank 0, offsets into one-dimensional storage, double precision, rank 8 and permuted strides.
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "client.h"

namespace {

aclrtStream stream;

struct Shape {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  aclDataType dtype = ACL_FLOAT;
};

aclTensor* view(const Shape& shape, int64_t storage, void* memory) {
  return aclCreateTensor(shape.sizes.data(), shape.sizes.size(), shape.dtype, shape.strides.data(),
                         shape.offset, ACL_FORMAT_ND, &storage, 1, memory);
}

// Tensors are gone as soon as the work is queued.
void cast(aclTensor* from, aclTensor* to, aclDataType dtype) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnCastGetWorkspaceSize(from, dtype, to, &size, &executor));
  REQUIRE(size == 0);
  OK(aclnnCast(nullptr, 0, executor, stream));
  OK(aclDestroyTensor(from));
  OK(aclDestroyTensor(to));
}

void add(aclTensor* a, aclTensor* b, aclTensor* sum) {
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnAddGetWorkspaceSize(a, b, alpha, sum, &size, &executor));
  OK(aclnnAdd(nullptr, 0, executor, stream));
  for (aclTensor* each : {a, b, sum}) OK(aclDestroyTensor(each));
  OK(aclDestroyScalar(alpha));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  void *x = device_floats({1, 2, 3, 4, 5, 6, 7, 8}), *y = device_floats(std::vector<float>(16));

  // A result with stride 0, in a dimension of one, and where strict mode looks away, of three.
  cast(view({{1, 3}, {3, 1}}, 8, x), view({{1, 3}, {0, 1}}, 16, y), ACL_FLOAT);
  OK(aclrtSynchronizeStream(stream));
  REQUIRE(host_floats(y, 3) == std::vector<float>({1, 2, 3}));
  if (std::getenv("ACLHOST_STRICT") == nullptr) {
    cast(view({{3}, {1}}, 8, x), view({{3}, {0}, 3}, 16, y), ACL_FLOAT);
    OK(aclrtSynchronizeStream(stream));
    REQUIRE(host_floats(y, 4)[3] > 0);
  }

  // Nothing, from nowhere to nowhere.
  cast(view({{0, 4}, {4, 1}}, 0, nullptr), view({{0, 4}, {4, 1}}, 0, nullptr), ACL_FLOAT);

  // A number at an offset, in double precision, and back.
  cast(view({{}, {}, 5}, 8, x), view({{}, {}, 1, ACL_DOUBLE}, 8, y), ACL_DOUBLE);
  cast(view({{}, {}, 1, ACL_DOUBLE}, 8, y), view({{}, {}, 0}, 16, y), ACL_FLOAT);
  OK(aclrtSynchronizeStream(stream));
  REQUIRE(host_floats(y, 1) == std::vector<float>({6}));

  // Rank 8, one operand with its dimensions the other way round, one that is repeated.
  add(view({{1, 1, 2, 1, 2, 1, 1, 2}, {8, 8, 1, 8, 2, 8, 8, 4}}, 8, x), view({{2}, {1}, 6}, 8, x),
      view({{1, 1, 2, 1, 2, 1, 1, 2}, {8, 8, 4, 4, 2, 2, 2, 1}}, 16, y));
  OK(aclrtSynchronizeStream(stream));
  REQUIRE(host_floats(y, 8) == std::vector<float>({8, 13, 10, 15, 9, 14, 11, 16}));

  for (void* each : {x, y}) OK(aclrtFree(each));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
