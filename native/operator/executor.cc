// SPDX-License-Identifier: Apache-2.0
// The functions that act on executors: repeat, destroy, move tensors to other addresses.
#include "aclnn/acl_meta.h"
#include "base/call.h"
#include "base/stale.h"
#include "operator/launch.h"
#include "operator/objects.h"

namespace aclhost {
namespace {

int32_t unknown_executor(const Call& call, const aclOpExecutor* executor) {
  note_stale(call, executors(), "executor", executor);
  return call.fail(ACLNN_ERR_INNER, "executor",
                   hex(executor) + " is not a live executor; it may have run already");
}

int32_t null_argument(const Call& call, const char* parameter) {
  return report_null(ACLNN_ERR_INNER_NULLPTR, call.name, parameter);
}

// The new address counts for the tensor itself and for what phase 1 copied from it. Operators here
// find their tensors by handle, so the position among the parameters is not needed.
int32_t set_address(const Call& call, aclOpExecutor* executor, const aclTensor* tensor,
                    void* address) {
  if (executor == nullptr) return null_argument(call, "executor");
  if (tensor == nullptr) return null_argument(call, "tensor");
  const auto found = executors().find(executor);
  if (!found) return unknown_executor(call, executor);
  const auto object = tensors().find(tensor);
  if (!object) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensor", hex(tensor) + " is not a live aclTensor");
  }
  object->view.data = address;
  std::lock_guard<std::mutex> lock(found->mutex);
  found->launch->rebind(tensor, address);
  return 0;
}

int32_t set_list_address(const Call& call, aclOpExecutor* executor, size_t index,
                         aclTensorList* list, void* address) {
  if (executor == nullptr) return null_argument(call, "executor");
  if (list == nullptr) return null_argument(call, "tensors");
  const auto found = tensor_lists().find(list);
  if (!found) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensors",
                     hex(list) + " is not a live aclTensorList");
  }
  if (index >= found->elements.size()) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "relativeIndex",
                     std::to_string(index) + " is outside a list of " +
                         std::to_string(found->elements.size()) + " tensors");
  }
  return set_address(call, executor, static_cast<const aclTensor*>(found->elements[index]),
                     address);
}

}  // namespace
}  // namespace aclhost

using aclhost::aclnn_call;
using aclhost::Call;

extern "C" {

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return aclnn_call(__func__, [&](const Call& call) {
    if (executor == nullptr) return aclhost::null_argument(call, "executor");
    const auto found = aclhost::executors().find(executor);
    if (!found) return aclhost::unknown_executor(call, executor);
    found->repeatable = true;
    return 0;
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return aclnn_call(__func__, [&](const Call& call) {
    if (executor == nullptr) return aclhost::null_argument(call, "executor");
    return aclhost::executors().destroy(executor) ? 0 : aclhost::unknown_executor(call, executor);
  });
}

// Upstream offers each setter for inputs, outputs and both, and again under an older spelling.
#define ACLHOST_ADDRESS_SETTERS(prefix, kind)                                            \
  aclnnStatus prefix##Set##kind##TensorAddr(aclOpExecutor* executor, const size_t,       \
                                            aclTensor* tensor, void* addr) {             \
    return aclnn_call(__func__, [&](const Call& call) {                                  \
      return aclhost::set_address(call, executor, tensor, addr);                         \
    });                                                                                  \
  }                                                                                      \
  aclnnStatus prefix##SetDynamic##kind##TensorAddr(aclOpExecutor* executor, size_t,      \
                                                   const size_t relativeIndex,           \
                                                   aclTensorList* tensors, void* addr) { \
    return aclnn_call(__func__, [&](const Call& call) {                                  \
      return aclhost::set_list_address(call, executor, relativeIndex, tensors, addr);    \
    });                                                                                  \
  }

ACLHOST_ADDRESS_SETTERS(acl, Input)
ACLHOST_ADDRESS_SETTERS(acl, Output)
ACLHOST_ADDRESS_SETTERS(acl, )
ACLHOST_ADDRESS_SETTERS(Acl, Input)
ACLHOST_ADDRESS_SETTERS(Acl, Output)
ACLHOST_ADDRESS_SETTERS(Acl, )

#undef ACLHOST_ADDRESS_SETTERS

// Operators work without it; a configuration that cannot be read is ignored upstream too.
aclnnStatus aclnnInit(const char*) { return 0; }
aclnnStatus aclnnFinalize() { return 0; }

// There are no precompiled kernels to choose from.
aclnnStatus aclnnReselectStaticKernel() { return 0; }
aclnnStatus aclnnReselectStaticKernelWithPath(const char*) { return 0; }

// Dumping can only be switched on by a configuration key that is not read here, so it is off.
aclnnStatus aclDumpOpTensors(const char*, const char*, aclTensor**, size_t, size_t, aclrtStream) {
  return 0;
}

}  // extern "C"
