// SPDX-License-Identifier: Apache-2.0
#include "operator/objects.h"

namespace aclhost {

namespace {

__constinit TensorRegistry all_tensors;
__constinit ScalarRegistry all_scalars;
__constinit IntArrayRegistry all_int_arrays;
__constinit FloatArrayRegistry all_float_arrays;
__constinit BoolArrayRegistry all_bool_arrays;
__constinit TensorListRegistry all_tensor_lists;
__constinit ScalarListRegistry all_scalar_lists;

}  // namespace

TensorRegistry& tensors() { return all_tensors; }
ScalarRegistry& scalars() { return all_scalars; }
IntArrayRegistry& int_arrays() { return all_int_arrays; }
FloatArrayRegistry& float_arrays() { return all_float_arrays; }
BoolArrayRegistry& bool_arrays() { return all_bool_arrays; }
TensorListRegistry& tensor_lists() { return all_tensor_lists; }
ScalarListRegistry& scalar_lists() { return all_scalar_lists; }

int32_t invalid_handle(const Call& call, const char* parameter, const void* handle, bool was_ours) {
  if (was_ours) observe([&](Observer& o) { o.misused(call.name, parameter, handle); });
  const char* why = was_ours ? " was destroyed before; destroy a handle once and use it no longer"
                             : " is not a handle of this kind; pass what the aclCreate call gave";
  return call.fail(ACLNN_ERR_PARAM_INVALID, parameter, hex(handle) + why);
}

std::nullptr_t no_handle_left(const Call& call) {
  call.fail(ACLNN_ERR_INNER, "", "no handle is left; destroy objects that are no longer needed");
  return nullptr;
}

}  // namespace aclhost
