// SPDX-License-Identifier: Apache-2.0
// What the client programs share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu.h"

#define REQUIRE(condition)                                          \
  do {                                                              \
    if (!(condition)) {                                             \
      std::printf("line %d: %s is not so\n", __LINE__, #condition); \
      const char* text = aclGetRecentErrMsg();                      \
      std::printf("%s\n", text == nullptr ? "no message" : text);   \
      std::exit(1);                                                 \
    }                                                               \
  } while (false)
#define OK(call) REQUIRE((call) == ACL_SUCCESS)

inline void* device_floats(const std::vector<float>& values) {
  void* memory = nullptr;
  const size_t bytes = values.size() * sizeof(float);
  OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  return memory;
}

inline std::vector<float> host_floats(const void* memory, size_t count) {
  std::vector<float> values(count);
  OK(aclrtMemcpy(values.data(), count * 4, memory, count * 4, ACL_MEMCPY_DEVICE_TO_HOST));
  return values;
}

inline aclTensor* tensor(int64_t count, void* memory) {
  return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory);
}
