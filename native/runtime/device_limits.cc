// SPDX-License-Identifier: Apache-2.0
// Stacks and printing buffers of kernels, kept and given back, and what devices can do atomically.
#include <atomic>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/soc.h"
#include "runtime/device.h"

namespace aclhost {
namespace {

constexpr int kLimits = 5;
constexpr size_t kKibi = 1024;
constexpr size_t kMebi = 1024 * kKibi;
constexpr size_t kThreads = 32;  // that a stack is for

struct Limit {
  size_t unit;
  size_t least;
  size_t most;
  std::atomic<size_t> value;
};

Limit limits[kLimits] = {
    {128, 0, UINT32_MAX / kThreads, 1152},  // a thread's stack
    {128, 0, UINT32_MAX, 1024},             // that of branches
    {1, 32 * kKibi + 1, 192 * kKibi, 32 * kKibi},
    {8, kKibi, 64 * kMebi, 32 * kKibi},
    {8, kMebi, 64 * kMebi, 2 * kMebi},
};

bool is_product(Product product) {
  const Soc* soc = current_soc();
  return soc != nullptr && soc->product == product;
}

bool is_950() { return is_product(Product::kA950); }

int32_t check_limit(const Call& call, aclrtDeviceLimit limit) {
  const int number = static_cast<int>(limit);
  if (number < 0 || number >= kLimits) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "limit",
                     "is " + std::to_string(number) + "; there are 0 to 4");
  }
  const bool is_simt = limit != ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE &&
                       limit != ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE;
  if (!is_simt || is_950()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "limit",
                   "is for kernels of threads (SIMT), which only Ascend 950 has");
}

int32_t set_limit(const Call& call, aclrtDeviceLimit number, size_t value) {
  Limit& limit = limits[static_cast<int>(number)];
  const bool is_stack = number == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE;
  const size_t most = is_stack && is_950() ? 128 * kKibi : limit.most;
  if (value < limit.least || value > most) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "value",
                     "is " + std::to_string(value) + "; it must be from " +
                         std::to_string(limit.least) + " to " + std::to_string(most));
  }
  const bool is_thread = number == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE;
  const bool is_branch = number == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE;
  if (value == 0 && (is_thread || is_branch) && limits[is_thread ? 1 : 0].value == 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "value",
                     "is 0, as the other stack of threads is; one of them has to be there");
  }
  limit.value = (value + limit.unit - 1) / limit.unit * limit.unit;
  return ACL_SUCCESS;
}

// Bits of aclrtAtomicOperationCapability: here operators of any stream add up whole results, so
// that what a product can do is told, and nothing depends on it.
uint32_t atomic_of_950(int operation) {
  constexpr uint32_t kWide = ACL_RT_ATOMIC_CAPABILITY_SCALAR32 | ACL_RT_ATOMIC_CAPABILITY_SCALAR64;
  switch (operation) {
    case ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT:
    case ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT:
    case ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS:
    case ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH:
      return ACL_RT_ATOMIC_CAPABILITY_UNSIGNED | kWide;
    case ACL_RT_ATOMIC_OPERATION_FLOAT_ADD:
    case ACL_RT_ATOMIC_OPERATION_FLOAT_MIN:
    case ACL_RT_ATOMIC_OPERATION_FLOAT_MAX:
      return ACL_RT_ATOMIC_CAPABILITY_SCALAR16 | ACL_RT_ATOMIC_CAPABILITY_SCALAR32;
    default:
      return ACL_RT_ATOMIC_CAPABILITY_SIGNED | ACL_RT_ATOMIC_CAPABILITY_UNSIGNED | kWide;
  }
}

// What the engines that copy can add on their way.
uint32_t atomic_of_copies() {
  return ACL_RT_ATOMIC_CAPABILITY_SIGNED | ACL_RT_ATOMIC_CAPABILITY_SCALAR8 |
         ACL_RT_ATOMIC_CAPABILITY_SCALAR16 | ACL_RT_ATOMIC_CAPABILITY_SCALAR32;
}

bool is_operation(int operation) {
  return (operation >= ACL_RT_ATOMIC_OPERATION_INTEGER_ADD &&
          operation <= ACL_RT_ATOMIC_OPERATION_FLOAT_MAX) ||
         (operation >= ACL_RT_ATOMIC_OPERATION_DMA_ADD &&
          operation <= ACL_RT_ATOMIC_OPERATION_DMA_MAX) ||
         (operation >= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD &&
          operation <= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH);
}

uint32_t atomic(int operation, bool with_host) {
  const bool is_copy =
      operation >= ACL_RT_ATOMIC_OPERATION_DMA_ADD && operation <= ACL_RT_ATOMIC_OPERATION_DMA_MAX;
  if (is_950()) return is_copy ? atomic_of_copies() : atomic_of_950(operation);
  const bool copies_add = is_product(Product::kA2) || is_product(Product::kA3);
  return is_copy && copies_add && !with_host ? atomic_of_copies() : 0;
}

int32_t tell_atomic(const Call& call, uint32_t* capabilities,
                    const aclrtAtomicOperation* operations, uint32_t count, bool with_host) {
  if (capabilities == nullptr) return call.null("capabilities");
  if (operations == nullptr) return call.null("operations");
  if (count == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count", "is 0");
  for (uint32_t i = 0; i < count; ++i) {
    const int operation = static_cast<int>(operations[i]);
    if (!is_operation(operation)) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "operations",
                       "has " + std::to_string(operation) + ", which is no operation");
    }
    capabilities[i] = atomic(operation, with_host);
  }
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  return acl_call("aclrtDeviceSetLimit", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_limit(call, limit)) return code;
    return set_limit(call, limit, value);
  });
}

extern "C" aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  return acl_call("aclrtDeviceGetLimit", [&](const Call& call) -> int32_t {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_limit(call, limit)) return code;
    const size_t threads = limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE ? kThreads : 1;
    *value = limits[static_cast<int>(limit)].value * threads;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities,
                                                         const aclrtAtomicOperation* operations,
                                                         const uint32_t count, int32_t deviceId) {
  return acl_call("aclrtDeviceGetHostAtomicCapabilities", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_device(call, deviceId)) return code;
    return tell_atomic(call, capabilities, operations, count, true);
  });
}

extern "C" aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities,
                                                        const aclrtAtomicOperation* operations,
                                                        const uint32_t count, int32_t srcDeviceId,
                                                        int32_t dstDeviceId) {
  return acl_call("aclrtDeviceGetP2PAtomicCapabilities", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_device(call, srcDeviceId)) return code;
    if (const int32_t code = check_device(call, dstDeviceId)) return code;
    return tell_atomic(call, capabilities, operations, count, false);
  });
}
