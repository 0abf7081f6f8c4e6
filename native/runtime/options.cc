// SPDX-License-Identifier: Apache-2.0
// The aclSysParamOpt switches. They are kept and given back; a CPU is deterministic at any level.
#include <atomic>
#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"

namespace aclhost {
namespace {

constexpr int kProcessOptions = 4;
std::atomic<int64_t> process_options[kProcessOptions];

int32_t check_option(const Call& call, aclSysParamOpt opt, int count) {
  const int number = static_cast<int>(opt);
  if (number >= 0 && number < count) return ACL_SUCCESS;
  return call.fail(
      ACL_ERROR_INVALID_PARAM, "opt",
      "is " + std::to_string(number) + "; it must be from 0 to " + std::to_string(count - 1));
}

int32_t check_value(const Call& call, aclSysParamOpt opt, int64_t value) {
  const int64_t largest = opt == ACL_OPT_DETERMINISTIC ? 3 : 1;
  if (value >= 0 && value <= largest) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "value",
                   "is " + std::to_string(value) + "; option " +
                       std::to_string(static_cast<int>(opt)) + " takes 0 to " +
                       std::to_string(largest));
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return acl_call("aclrtSetSysParamOpt", [&](const Call& call) {
    if (const int32_t code = check_option(call, opt, kProcessOptions)) return code;
    if (const int32_t code = check_value(call, opt, value)) return code;
    process_options[opt] = value;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return acl_call("aclrtGetSysParamOpt", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_option(call, opt, kProcessOptions)) return code;
    *value = process_options[opt];
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return acl_call("aclrtCtxSetSysParamOpt", [&](const Call& call) {
    if (const int32_t code = check_option(call, opt, Context::kOptions)) return code;
    if (const int32_t code = check_value(call, opt, value)) return code;
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    context->options[opt] = value;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return acl_call("aclrtCtxGetSysParamOpt", [&](const Call& call) {
    if (value == nullptr) return call.null("value");
    if (const int32_t code = check_option(call, opt, Context::kOptions)) return code;
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    const int64_t stored = context->options[opt];
    if (stored == Context::kNotSet) {
      return call.fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt",
                       std::to_string(static_cast<int>(opt)) +
                           " has no value in this context; call aclrtCtxSetSysParamOpt first");
    }
    *value = stored;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclopSetModelDir(const char* modelDir) {
  return acl_call("aclopSetModelDir", [&](const Call& call) {
    return modelDir == nullptr ? call.null("modelDir") : ACL_SUCCESS;
  });
}
