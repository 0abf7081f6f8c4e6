// SPDX-License-Identifier: Apache-2.0
// What the public platform files of the products say about their hardware; of each product the SoC
// that it stands for.
#include <cstring>
#include <string>

#include "acl/acl_platform.h"
#include "base/call.h"
#include "base/soc.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr int kNumbers = 13;  // from ACL_PLATFORM_AICORE_CNT to ACL_PLATFORM_L1_SIZE
constexpr int64_t kUnknown = -1;

struct Platform {
  int64_t numbers[kNumbers];
  const char* version;  // of the AI core
  const char* arch;
};

// In the order of aclplatformDevInfo: AI cores, unified buffer, cube and vector cores, L2 cache,
// memory (that of ACLHOST_DEVICE_MEMORY is told), MHz of both, tables, L0 A, B and C, L1.
Platform platform(Product product) {
  constexpr int64_t kMebi = int64_t{1} << 20;
  switch (product) {
    case Product::kA950:
      return {{36, 253952, 36, 72, 128 * kMebi, 0, 1800, 1800, 4096, 65536, 65536, 262144, 524288},
              "AIC-C-310",
              "3510"};
    case Product::kP310B:
      return {{1, 253952, 1, 1, 4 * kMebi, 0, 1224, 1224, 1024, 65536, 65536, 131072, kMebi},
              "AIC-M-300",
              "3002"};
    case Product::kP310P:
      return {{8, 262144, kUnknown, 7, 16 * kMebi, 0, 1060, 1000, kUnknown, 65536, 65536, 262144,
               kMebi},
              "AIC-M-200",
              "2002"};
    case Product::kT910:
      return {{32, 262144, kUnknown, 0, 32 * kMebi, 0, 1000, kUnknown, kUnknown, 65536, 65536,
               262144, kMebi},
              "AIC-C-100",
              "1001"};
    default:
      return {
          {24, 196608, 24, 48, 192 * kMebi, 0, 1850, kUnknown, 1024, 65536, 65536, 131072, 524288},
          "AIC-C-220",
          "2201"};
  }
}

// Empty for what the file of the product does not say.
std::string answer(const Soc& soc, aclplatformDevInfo type) {
  const Platform found = platform(soc.product);
  switch (type) {
    case ACL_PLATFORM_MEMORY_SIZE:
      return std::to_string(device_memory());
    case ACL_PLATFORM_SOC_VERSION:
      return soc.name;
    case ACL_PLATFORM_AIC_VERSION:
      return found.version;
    case ACL_PLATFORM_NPU_ARCH:
      return found.arch;
    case ACL_PLATFORM_MEMORY_TYPE:
      return "";
    default: {
      const int64_t number = found.numbers[static_cast<int>(type)];
      return number == kUnknown ? "" : std::to_string(number);
    }
  }
}

int32_t tell(const Call& call, aclplatformDevInfo type, char* value, uint32_t room) {
  const Soc* soc = current_soc();
  if (soc == nullptr) {
    return call.fail(ACL_ERROR_INTERNAL_ERROR, "",
                     "the environment variable ACLHOST_SOC names no known SoC");
  }
  const std::string text = answer(*soc, type);
  if (text.empty()) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "infoType",
                     std::to_string(static_cast<int>(type)) + " is not known of " + soc->name);
  }
  if (text.size() >= room) {
    return call.fail(
        ACL_ERROR_INVALID_PARAM, "maxLen",
        "is " + std::to_string(room) + "; the answer takes " + std::to_string(text.size() + 1));
  }
  std::memcpy(value, text.c_str(), text.size() + 1);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char* value,
                                             uint32_t maxLen) {
  return acl_call("aclplatformGetDeviceInfo", [&](const Call& call) -> int32_t {
    const int number = static_cast<int>(infoType);
    if (number < ACL_PLATFORM_AICORE_CNT || number > ACL_PLATFORM_MEMORY_TYPE) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "infoType",
                       "is " + std::to_string(number) + "; there are 0 to 16");
    }
    if (value == nullptr) return call.null("value");
    return tell(call, infoType, value, maxLen);
  });
}
