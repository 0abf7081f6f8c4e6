// SPDX-License-Identifier: Apache-2.0
// What the examples share: a device with a stream, its memory, and tensors in it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

// Stops with the runtime's own explanation.
inline void check(int status, const char* what) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s failed with %d\n%s\n", what, status, message ? message : "");
  std::exit(1);
}

// Device 0.
struct Device {
  aclrtStream stream = nullptr;

  Device() {
    check(aclInit(nullptr), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
  }
  ~Device() {
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

struct DeviceMemory {
  void* address = nullptr;

  explicit DeviceMemory(size_t bytes) {
    if (bytes == 0) return;
    check(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  ~DeviceMemory() {
    if (address != nullptr) aclrtFree(address);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
};

inline aclDataType data_type(float) { return ACL_FLOAT; }
inline aclDataType data_type(int64_t) { return ACL_INT64; }

// A dense tensor with a copy of the values.
template <typename T>
struct DeviceTensor {
  size_t count;
  DeviceMemory memory;
  aclTensor* handle = nullptr;

  DeviceTensor(const std::vector<int64_t>& shape, const std::vector<T>& values)
      : count(values.size()), memory(count * sizeof(T)) {
    const size_t bytes = count * sizeof(T);
    check(aclrtMemcpy(memory.address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
    handle = aclCreateTensor(shape.data(), shape.size(), data_type(T()), nullptr, 0, ACL_FORMAT_ND,
                             shape.data(), shape.size(), memory.address);
  }
  ~DeviceTensor() { aclDestroyTensor(handle); }

  std::vector<T> to_host() const {
    std::vector<T> values(count);
    const size_t bytes = count * sizeof(T);
    check(aclrtMemcpy(values.data(), bytes, memory.address, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
    return values;
  }
};
