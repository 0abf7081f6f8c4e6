// SPDX-License-Identifier: Apache-2.0
// The frame of every extern "C" function: no exception leaves it and every failure leaves a text.
// Only the end of the thread itself (pthread_cancel, pthread_exit) passes.
#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <string>

#include "acl/acl_base.h"
#include "aclnn/opdev/op_errno.h"
#include "base/call_lock.h"
#include "base/errors.h"
#include "base/fork.h"

namespace aclhost {

// Given to a function's body, so that the function names itself once.
struct Call {
  const char* name;
  int32_t null_code;

  int32_t null(const char* parameter) const { return report_null(null_code, name, parameter); }
  int32_t fail(int32_t code, const char* parameter, const std::string& what) const {
    return report(code, name, parameter, what);
  }
};

// For functions that exist for clients to link, and why; the code is 207000.
int32_t not_supported(const char* name, const char* reason);

template <typename Body>
int32_t acl_call(const char* name, Body&& body) {
  if (in_forked_child()) return report_forked(ACL_ERROR_RT_DEV_SETUP_ERROR, name);
  wait_while_locked();
  try {
    return body(Call{name, ACL_ERROR_INVALID_PARAM});
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return report_exception(ACL_ERROR_BAD_ALLOC, name);
  }
}

template <typename Body>
int32_t aclnn_call(const char* name, Body&& body) {
  if (in_forked_child()) return report_forked(ACLNN_ERR_RUNTIME_ERROR, name);
  wait_while_locked();
  try {
    return body(Call{name, ACLNN_ERR_PARAM_NULLPTR});
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return report_exception(ACLNN_ERR_INNER, name);
  }
}

// For functions that answer failure with a null pointer.
template <typename Object, typename Body>
Object* aclnn_create(const char* name, Body&& body) {
  if (in_forked_child()) {
    report_forked(ACLNN_ERR_RUNTIME_ERROR, name);
    return nullptr;
  }
  try {
    return static_cast<Object*>(body(Call{name, ACLNN_ERR_PARAM_NULLPTR}));
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    report_exception(ACLNN_ERR_INNER, name);
    return nullptr;
  }
}

}  // namespace aclhost
