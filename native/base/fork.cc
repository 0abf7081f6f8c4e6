// SPDX-License-Identifier: Apache-2.0
#include "base/fork.h"

#include <pthread.h>

#include "acl/acl_base.h"
#include "base/call.h"

namespace aclhost {
namespace fork_detail {
std::atomic<bool> in_child{false};
}

namespace {

std::atomic<bool> forbidden{false};

__attribute__((constructor)) void prepare() {
  pthread_atfork(nullptr, nullptr, [] { fork_detail::in_child.store(forbidden.load()); });
}

}  // namespace

void forbid_fork() { forbidden.store(true); }

int32_t report_forked(int32_t code, const char* call) noexcept {
  try {
    return report(
        code, call, "",
        "this process was forked from one that had set a device; streams do not survive a "
        "fork. Start the child with exec (in Python: multiprocessing's \"spawn\"), or "
        "fork before the first aclrtSetDevice");
  } catch (...) {
    return code;
  }
}

int32_t not_supported(const char* name, const char* reason) {
  return acl_call(name, [&](const Call& call) {
    return call.fail(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "",
        "aclhost does not provide this function, which exists so that programs link: " +
            std::string(reason));
  });
}

}  // namespace aclhost
