// SPDX-License-Identifier: Apache-2.0
// elu_backward on lines of elements: the kernel alone, and the C functions as a program calls them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "operator/descriptor.h"
#include "operator/run.h"

namespace aclhost {
extern const Operator aclnnEluBackward_operator;  // exported for the Python module
}

inline void require(bool good) {
  if (!good) std::abort();
}

// The arguments as phase 1 leaves them.
class KernelCall {
 public:
  KernelCall(void* const memory[3], int64_t elements, aclDataType dtype)
      : args_(aclhost::aclnnEluBackward_operator) {
    add_line(memory[0], elements, dtype);
    for (int scalars = 0; scalars < 3; ++scalars) add_one();
    aclhost::Argument& is_result = args_.arguments.add();
    is_result.present = true;
    is_result.integer = 1;
    add_line(memory[1], elements, dtype);
    add_line(memory[2], elements, dtype);
  }

  void operator()() { require(aclhost::run_whole(args_).ok()); }

 private:
  void add_line(void* data, int64_t elements, aclDataType dtype) {
    aclhost::Shape shape;
    shape.rank = 1;
    shape.dims[0] = elements;
    args_.arguments.add() = {true, static_cast<uint32_t>(args_.tensors.size()), 1};
    aclhost::TensorView& view = args_.tensors.add();
    view = row_major_view(shape, dtype);
    view.data = data;
  }

  void add_one() {
    const float number = 1;
    args_.arguments.add() = {true, static_cast<uint32_t>(args_.scalars.size()), 1};
    aclhost::ScalarValue& value = args_.scalars.add();
    value.present = true;
    value.dtype = ACL_FLOAT;
    std::memcpy(value.bytes, &number, sizeof number);
  }

  aclhost::Args args_;
};

// Tensors in device memory, and both phases. A device must be set.
struct Launched {
  explicit Launched(int64_t elements) {
    for (int i = 0; i < 3; ++i) {
      const size_t bytes = elements * sizeof(float);
      require(aclrtMalloc(&memory[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
      require(aclrtMemset(memory[i], bytes, 0, bytes) == ACL_SUCCESS);
      tensors[i] = aclCreateTensor(&elements, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &elements, 1,
                                   memory[i]);
      require(tensors[i] != nullptr);
    }
    float number = 1;
    scalar = aclCreateScalar(&number, ACL_FLOAT);
  }
  Launched(Launched&& other) noexcept : scalar(std::exchange(other.scalar, nullptr)) {
    std::memcpy(memory, other.memory, sizeof memory);
    std::memcpy(tensors, other.tensors, sizeof tensors);
  }
  ~Launched() {
    if (scalar == nullptr) return;
    aclDestroyScalar(scalar);
    for (int i = 0; i < 3; ++i) {
      aclDestroyTensor(tensors[i]);
      aclrtFree(memory[i]);
    }
  }

  void launch(aclrtStream stream) const {
    uint64_t size;
    aclOpExecutor* executor;
    require(aclnnEluBackwardGetWorkspaceSize(tensors[0], scalar, scalar, scalar, true, tensors[1],
                                             tensors[2], &size, &executor) == ACL_SUCCESS);
    require(aclnnEluBackward(nullptr, size, executor, stream) == ACL_SUCCESS);
  }

  void* memory[3];
  aclTensor* tensors[3];
  aclScalar* scalar;
};

struct Stream {
  Stream() { require(aclrtCreateStream(&handle) == ACL_SUCCESS); }
  Stream(Stream&& other) = delete;
  ~Stream() { aclrtDestroyStream(handle); }
  void synchronize() const { require(aclrtSynchronizeStream(handle) == ACL_SUCCESS); }

  aclrtStream handle;
};
