// SPDX-License-Identifier: Apache-2.0
#include "runtime/init_callbacks.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"

namespace aclhost {
namespace {

template <typename Function>
struct Entry {
  aclRegisterCallbackType type;
  Function function;
  void* data;
};

// One function for each type, but any number of ACL_REG_TYPE_OTHER.
template <typename Function>
class Functions {
 public:
  int32_t add(const Call& call, aclRegisterCallbackType type, Function function, void* data) {
    if (function == nullptr) return call.null("cbFunc");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto has_type = [&](const auto& each) { return each.type == type; };
    if (type != ACL_REG_TYPE_OTHER && std::any_of(all_.begin(), all_.end(), has_type)) {
      return call.fail(ACL_ERROR_INTERNAL_ERROR, "type",
                       std::to_string(static_cast<int>(type)) +
                           " has a function already; only ACL_REG_TYPE_OTHER takes more than one");
    }
    all_.push_back({type, function, data});
    return ACL_SUCCESS;
  }

  int32_t remove(const Call& call, aclRegisterCallbackType type, Function function) {
    if (function == nullptr) return call.null("cbFunc");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_it = [&](const auto& each) {
      return each.type == type && each.function == function;
    };
    const auto found = std::find_if(all_.begin(), all_.end(), is_it);
    if (found == all_.end()) {
      return call.fail(ACL_ERROR_INTERNAL_ERROR, "cbFunc", "is not registered with this type");
    }
    all_.erase(found);
    return ACL_SUCCESS;
  }

  // Calls `run`, an int32_t(function, data), without the lock, until one fails.
  template <typename Run>
  int32_t tell(aclRegisterCallbackType type, const Run& run) {
    std::vector<Entry<Function>> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      all = all_;
    }
    for (const Entry<Function>& each : all) {
      if (each.type != type) continue;
      if (const int32_t code = run(each.function, each.data)) return code;
    }
    return ACL_SUCCESS;
  }

 private:
  std::mutex mutex_;
  std::vector<Entry<Function>> all_;
};

Immortal<Functions<aclInitCallbackFunc>> at_init;
Immortal<Functions<aclFinalizeCallbackFunc>> at_finalize;

}  // namespace

int32_t tell_init(const std::string& configuration) {
  for (const auto type : {ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_OP_EXECUTOR,
                          ACL_REG_TYPE_ACL_DVPP, ACL_REG_TYPE_OTHER}) {
    const auto run = [&](aclInitCallbackFunc function, void* data) {
      return function(configuration.c_str(), configuration.size(), data);
    };
    if (const int32_t code = at_init->tell(type, run)) return code;
  }
  return ACL_SUCCESS;
}

int32_t tell_finalize() {
  for (const auto type : {ACL_REG_TYPE_ACL_OP_COMPILER, ACL_REG_TYPE_ACL_MODEL,
                          ACL_REG_TYPE_ACL_DVPP, ACL_REG_TYPE_OTHER}) {
    const auto run = [](aclFinalizeCallbackFunc function, void* data) { return function(data); };
    if (const int32_t code = at_finalize->tell(type, run)) return code;
  }
  return ACL_SUCCESS;
}

}  // namespace aclhost

using namespace aclhost;

// A process that is initialized tells the function at once, and does not care what it answers.
extern "C" aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                            aclInitCallbackFunc cbFunc, void* userData) {
  return acl_call("aclInitCallbackRegister", [&](const Call& call) -> int32_t {
    if (const int32_t code = at_init->add(call, type, cbFunc, userData)) return code;
    std::string text;
    if (initial_configuration(&text)) cbFunc(text.c_str(), text.size(), userData);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                              aclInitCallbackFunc cbFunc) {
  return acl_call("aclInitCallbackUnRegister",
                  [&](const Call& call) { return at_init->remove(call, type, cbFunc); });
}

extern "C" aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                                aclFinalizeCallbackFunc cbFunc, void* userData) {
  return acl_call("aclFinalizeCallbackRegister",
                  [&](const Call& call) { return at_finalize->add(call, type, cbFunc, userData); });
}

extern "C" aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                  aclFinalizeCallbackFunc cbFunc) {
  return acl_call("aclFinalizeCallbackUnRegister",
                  [&](const Call& call) { return at_finalize->remove(call, type, cbFunc); });
}
