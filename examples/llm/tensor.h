// SPDX-License-Identifier: Apache-2.0
// Tensors of any type in device memory, views of them, and operators on a stream.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "../device.h"

using Shape = std::vector<int64_t>;

inline int64_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Two numbers of four bits share a byte.
inline size_t bytes_of(const Shape& shape, aclDataType type) {
  const auto count = static_cast<size_t>(elements(shape));
  return type == ACL_INT4 ? count / 2 : count * aclDataTypeSize(type);
}

// A view of device memory. Copies share memory and handle.
struct Tensor {
  Shape shape, strides;
  aclDataType type;
  int64_t offset;
  int64_t storage;  // elements of the memory
  std::shared_ptr<DeviceMemory> memory;
  std::shared_ptr<const aclTensor> handle;

  Tensor(const Shape& sizes, aclDataType dtype)
      : Tensor(sizes, dense(sizes), dtype, 0, elements(sizes),
               std::make_shared<DeviceMemory>(bytes_of(sizes, dtype))) {}

  aclTensor* out() const { return const_cast<aclTensor*>(handle.get()); }
  const aclTensor* in() const { return handle.get(); }

  // Memory from the given row on, in any shape.
  Tensor rows(int64_t first, const Shape& sizes) const {
    return Tensor(sizes, dense(sizes), type, offset + first * strides[0], storage, memory);
  }

  // [n, k] seen as [k, n].
  Tensor transposed() const {
    return Tensor({shape[1], shape[0]}, {strides[1], strides[0]}, type, offset, storage, memory);
  }

  // A list destroys its members with itself: they are handles of its own.
  aclTensorList* list() const {
    const aclTensor* member = new_handle();
    return aclCreateTensorList(&member, 1);
  }

  void fill(const void* source) const {
    const size_t bytes = bytes_of(shape, type);
    check(aclrtMemcpy(memory->address, bytes, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
  }

  template <typename T>
  std::vector<T> to_host() const {
    std::vector<T> values(static_cast<size_t>(elements(shape)));
    const size_t bytes = bytes_of(shape, type);
    check(aclrtMemcpy(values.data(), bytes, memory->address, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
    return values;
  }

 private:
  Tensor(const Shape& sizes, const Shape& steps, aclDataType dtype, int64_t first, int64_t count,
         std::shared_ptr<DeviceMemory> pages)
      : shape(sizes),
        strides(steps),
        type(dtype),
        offset(first),
        storage(count),
        memory(std::move(pages)),
        handle(new_handle(), aclDestroyTensor) {}

  static Shape dense(const Shape& sizes) {
    Shape steps(sizes.size(), 1);
    for (size_t i = sizes.size(); i-- > 1;) steps[i - 1] = steps[i] * sizes[i];
    return steps;
  }

  aclTensor* new_handle() const {
    return aclCreateTensor(shape.data(), shape.size(), type, strides.data(), offset, ACL_FORMAT_ND,
                           &storage, 1, memory->address);
  }
};

// Runs operators in order. One workspace serves all of them: the stream keeps them apart.
class Queue {
 public:
  explicit Queue(aclrtStream stream) : stream_(stream) {}

  template <typename Prepare, typename Run, typename... Arguments>
  void operator()(const char* name, Prepare prepare, Run run, Arguments... arguments) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(prepare(arguments..., &size, &executor), name);
    if (size > size_) {
      wait();  // the old workspace may be in use
      workspace_ = std::make_unique<DeviceMemory>(size);
      size_ = size;
    }
    check(run(workspace_ ? workspace_->address : nullptr, size, executor, stream_), name);
  }

  void wait() const { check(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream"); }

 private:
  aclrtStream stream_;
  uint64_t size_ = 0;
  std::unique_ptr<DeviceMemory> workspace_;
};

// Both phases of an operator: RUN(queue, aclnnAdd, arguments of the first phase ...).
#define RUN(queue, OPERATOR, ...) \
  queue(#OPERATOR, OPERATOR##GetWorkspaceSize, OPERATOR, __VA_ARGS__)
