// SPDX-License-Identifier: Apache-2.0
// What the programs share that look at memory as llama.cpp's backend does: views on one-dimensional
// storage, handles that are gone right after the launch.
#pragma once

#include "client.h"

using Half = _Float16;
using Shape = std::vector<int64_t>;
inline aclrtStream stream;

template <typename T>
struct Memory {
  size_t count;
  void* address = nullptr;

  explicit Memory(const std::vector<T>& values) : count(values.size()) {
    OK(aclrtMalloc(&address, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(address, count * sizeof(T), values.data(), count * sizeof(T),
                   ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~Memory() { aclrtFree(address); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::vector<T> values() const {
    OK(aclrtSynchronizeStream(stream));
    std::vector<T> host(count);
    OK(aclrtMemcpy(host.data(), count * sizeof(T), address, count * sizeof(T),
                   ACL_MEMCPY_DEVICE_TO_HOST));
    return host;
  }
};

// The storage is as long as the view's elements, wherever it begins.
inline aclTensor* view(const Shape& shape, const Shape& strides, aclDataType type, void* memory,
                       int64_t offset = 0, aclFormat format = ACL_FORMAT_ND) {
  int64_t storage = 1;
  for (int64_t size : shape) storage *= size;
  return aclCreateTensor(shape.data(), shape.size(), type, strides.data(), offset, format, &storage,
                         1, memory);
}

inline aclTensor* dense(const Shape& shape, aclDataType type, void* memory) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return view(shape, strides, type, memory);
}

// Both phases; the tensors end before the work may have begun.
template <typename Prepare, typename Run, typename... Arguments>
void launch(const std::vector<aclTensor*>& tensors, Prepare prepare, Run run,
            Arguments&&... arguments) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(prepare(arguments..., &size, &executor));
  void* workspace = nullptr;
  if (size > 0) OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(run(workspace, size, executor, stream));
  for (aclTensor* each : tensors) OK(aclDestroyTensor(each));
  if (workspace == nullptr) return;
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtFree(workspace));
}

// Calls `body` with a device and the stream.
template <typename Body>
int on_a_device(Body body) {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  body();
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
  return 0;
}
