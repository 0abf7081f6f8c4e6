// SPDX-License-Identifier: Apache-2.0
// What software and device there are, as far as programs ask, and the program's own log.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "base/call.h"
#include "base/soc.h"
#include "runtime/device.h"

namespace aclhost {
namespace {

// Of the software whose interface this is.
constexpr char kVersion[] = "9.1.0";
constexpr int32_t kVersionNumber = 90100000;

constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                       ACL_CANN_ATTR_JIT_COMPILE};

bool has_attribute(aclCannAttr attribute) {
  const Soc* soc = current_soc();
  const Product product = soc == nullptr ? Product::kA2 : soc->product;
  const bool is_old = product == Product::kP310P || product == Product::kT910;
  return attribute == ACL_CANN_ATTR_JIT_COMPILE || !is_old;
}

template <size_t kRoom>
void put(char (&target)[kRoom], const char* text) {
  std::snprintf(target, kRoom, "%s", text);
}

bool log_is_wanted() {
  const char* text = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return acl_call("aclGetCannAttribute", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    for (const aclCannAttr known : kAttributes) {
      if (known != cannAttr) continue;
      *value = has_attribute(cannAttr) ? 1 : 0;
      return ACL_SUCCESS;
    }
    return call.fail(ACL_ERROR_INVALID_PARAM, "cannAttr",
                     "is " + std::to_string(static_cast<int>(cannAttr)) +
                         "; aclGetCannAttributeList tells which attributes there are");
  });
}

extern "C" aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return acl_call("aclGetCannAttributeList", [&](const Call& call) {
    if (cannAttrList == nullptr) return call.null("cannAttrList");
    if (num == nullptr) return call.null("num");
    *cannAttrList = kAttributes;
    *num = sizeof kAttributes / sizeof *kAttributes;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                           int64_t* value) {
  return acl_call("aclGetDeviceCapability", [&](const Call& call) -> int32_t {
    if (value == nullptr) return call.null("value");
    if (deviceId >= static_cast<uint32_t>(device_count())) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "deviceId",
                       "is " + std::to_string(deviceId) + " of " + std::to_string(device_count()));
    }
    switch (deviceInfo) {
      case ACL_DEVICE_INFO_AI_CORE_NUM:
        return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_AICORE_CORE_NUM, value);
      case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_VECTOR_CORE_NUM, value);
      case ACL_DEVICE_INFO_L2_SIZE:
        return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_L2_CACHE_SIZE, value);
      default:
        return call.fail(
            ACL_ERROR_INVALID_PARAM, "deviceInfo",
            "is " + std::to_string(static_cast<int>(deviceInfo)) + "; questions are 0 to 2");
    }
  });
}

extern "C" aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return acl_call("aclsysGetCANNVersion", [&](const Call& call) {
    if (version == nullptr) return call.null("version");
    const int number = static_cast<int>(name);
    if (number < 0 || number > ACL_PKG_NAME_DRIVER) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "name",
                       "is " + std::to_string(number) + "; packages are 0 to 7");
    }
    std::memset(version, 0, sizeof *version);
    put(version->version, kVersion);
    put(version->majorVersion, "9");
    put(version->minorVersion, "1");
    put(version->releaseVersion, "0");
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return acl_call("aclsysGetVersionStr", [&](const Call& call) {
    if (pkgName == nullptr) return call.null("pkgName");
    if (versionStr == nullptr) return call.null("versionStr");
    std::memcpy(versionStr, kVersion, sizeof kVersion);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return acl_call("aclsysGetVersionNum", [&](const Call& call) {
    if (pkgName == nullptr) return call.null("pkgName");
    if (versionNum == nullptr) return call.null("versionNum");
    *versionNum = kVersionNumber;
    return ACL_SUCCESS;
  });
}

// Where upstream's log goes to a file, here it goes nowhere, unless the variable asks for it.
extern "C" void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
                          const char* fmt, ...) {
  if (fmt == nullptr || !log_is_wanted()) return;
  constexpr const char* kLevels[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  const int level = static_cast<int>(logLevel);
  char text[1024];
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text, sizeof text, fmt, arguments);
  va_end(arguments);
  std::printf("[%s] %s:%u %s: %s\n", level >= 0 && level < 4 ? kLevels[level] : "?",
              file == nullptr ? "" : file, line, func == nullptr ? "" : func, text);
}
