// SPDX-License-Identifier: Apache-2.0
#include "operator/objects.h"

namespace aclhost {

namespace {

template <typename Type>
Type& immortal() {
  static auto& instance = *new Type;
  return instance;
}

}  // namespace

TensorRegistry& tensors() { return immortal<TensorRegistry>(); }
ScalarRegistry& scalars() { return immortal<ScalarRegistry>(); }
IntArrayRegistry& int_arrays() { return immortal<IntArrayRegistry>(); }
FloatArrayRegistry& float_arrays() { return immortal<FloatArrayRegistry>(); }
BoolArrayRegistry& bool_arrays() { return immortal<BoolArrayRegistry>(); }
TensorListRegistry& tensor_lists() { return immortal<TensorListRegistry>(); }
ScalarListRegistry& scalar_lists() { return immortal<ScalarListRegistry>(); }

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
