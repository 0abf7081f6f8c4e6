// SPDX-License-Identifier: Apache-2.0
// elu_backward of 16 elements in loops: the kernel alone, and the C functions as a program calls
// them on an idle stream. Prints microseconds per call.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "operator/descriptor.h"
#include "operator/run.h"

namespace aclhost {
extern const Operator aclnnEluBackward_operator;  // exported for the Python module
}

namespace {

constexpr int kElements = 16;
constexpr int kCalls = 100000;
constexpr int kRepeats = 15;

void require(bool good) {
  if (!good) std::abort();
}

template <typename Call>
void print_time(const char* name, const Call& call) {
  double times[kRepeats];
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    time = taken.count() / kCalls;
  }
  std::sort(times, times + kRepeats);
  std::printf("%s\t%.4f\n", name, times[kRepeats / 2]);
}

void add_line(aclhost::Args* args, void* data, aclDataType dtype) {
  aclhost::Shape shape;
  shape.rank = 1;
  shape.dims[0] = kElements;
  args->arguments.add() = {true, static_cast<uint32_t>(args->tensors.size()), 1};
  aclhost::TensorView& view = args->tensors.add();
  view = row_major_view(shape, dtype);
  view.data = data;
}

void add_one(aclhost::Args* args) {
  const float number = 1;
  args->arguments.add() = {true, static_cast<uint32_t>(args->scalars.size()), 1};
  aclhost::ScalarValue& value = args->scalars.add();
  value.present = true;
  value.dtype = ACL_FLOAT;
  std::memcpy(value.bytes, &number, sizeof number);
}

void add_true(aclhost::Args* args) {
  aclhost::Argument& argument = args->arguments.add();
  argument.present = true;
  argument.integer = 1;
}

// The arguments as phase 1 leaves them.
void time_kernel(const char* name, aclDataType dtype) {
  float memory[3][kElements] = {};
  aclhost::Args args(aclhost::aclnnEluBackward_operator);
  add_line(&args, memory[0], dtype);
  for (int scalars = 0; scalars < 3; ++scalars) add_one(&args);
  add_true(&args);
  add_line(&args, memory[1], dtype);
  add_line(&args, memory[2], dtype);
  print_time(name, [&] { require(aclhost::run(args).ok()); });
}

void time_c_functions(const char* name) {
  aclrtStream stream;
  require(aclInit(nullptr) == ACL_SUCCESS);
  require(aclrtSetDevice(0) == ACL_SUCCESS);
  require(aclrtCreateStream(&stream) == ACL_SUCCESS);
  const int64_t shape[] = {kElements};
  aclTensor* tensors[3];
  for (aclTensor*& tensor : tensors) {
    void* memory;
    const size_t bytes = kElements * sizeof(float);
    require(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    require(aclrtMemset(memory, bytes, 0, bytes) == ACL_SUCCESS);
    tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory);
    require(tensor != nullptr);
  }
  float number = 1;
  aclScalar* const scalar = aclCreateScalar(&number, ACL_FLOAT);
  print_time(name, [&] {
    uint64_t size;
    aclOpExecutor* executor;
    require(aclnnEluBackwardGetWorkspaceSize(tensors[0], scalar, scalar, scalar, true, tensors[1],
                                             tensors[2], &size, &executor) == ACL_SUCCESS);
    require(aclnnEluBackward(nullptr, size, executor, stream) == ACL_SUCCESS);
    require(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  });
}

}  // namespace

int main() {
  time_kernel("kernel float32", ACL_FLOAT);
  time_kernel("kernel bfloat16", ACL_BF16);
  time_c_functions("c abi");
}
