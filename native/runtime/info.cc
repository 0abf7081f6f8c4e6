// SPDX-License-Identifier: Apache-2.0
// Small questions about the process, the thread and the data types.
#include <cmath>
#include <cstdint>
#include <string>

#include "acl/acl.h"
#include "base/call.h"
#include "base/soc.h"
#include "dtypes.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

int32_t check_level(const Call& call, aclrtLastErrLevel level) {
  if (level == ACL_RT_THREAD_LEVEL) return ACL_SUCCESS;
  return call.fail(
      ACL_ERROR_INVALID_PARAM, "level",
      "is " + std::to_string(static_cast<int>(level)) + "; only ACL_RT_THREAD_LEVEL (0) exists");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" const char* aclrtGetSocName() {
  const Soc* soc = current_soc();
  return soc == nullptr ? nullptr : soc->name.c_str();
}

extern "C" aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                    int32_t* patchVersion) {
  return acl_call("aclrtGetVersion", [&](const Call& call) {
    if (majorVersion == nullptr) return call.null("majorVersion");
    if (minorVersion == nullptr) return call.null("minorVersion");
    if (patchVersion == nullptr) return call.null("patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
  });
}

extern "C" const char* aclGetRecentErrMsg() {
  try {
    return take_recent_message();
  } catch (...) {
    return nullptr;
  }
}

extern "C" aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  return acl_call("aclrtPeekAtLastError", [&](const Call& call) {
    const int32_t code = check_level(call, level);
    return code != 0 ? code : last_runtime_code();
  });
}

extern "C" aclError aclrtGetLastError(aclrtLastErrLevel level) {
  return acl_call("aclrtGetLastError", [&](const Call& call) {
    if (const int32_t code = check_level(call, level)) return code;
    const int32_t last = last_runtime_code();
    forget_last_runtime_code();
    return last;
  });
}

extern "C" size_t aclDataTypeSize(aclDataType dataType) { return data_type_api_size(dataType); }

// Upstream's two half conversions know neither Inf nor NaN: the largest exponent is an ordinary
// one on the way in, and everything too large becomes 65504 on the way out.
extern "C" float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & 0x7C00) != 0x7C00) return widen(Half{value});
  const float magnitude = 65536.0F * (1.0F + static_cast<float>(value & 0x03FF) / 1024.0F);
  return (value & 0x8000) != 0 ? -magnitude : magnitude;
}

extern "C" aclFloat16 aclFloatToFloat16(float value) {
  const uint16_t half = Narrow<Half>::from(value).bits;
  return (half & 0x7C00) != 0x7C00 ? half : static_cast<uint16_t>((half & 0x8000) | 0x7BFF);
}
