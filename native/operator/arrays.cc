// SPDX-License-Identifier: Apache-2.0
#include "operator/objects.h"

namespace aclhost {
namespace {

// A null pointer or a size of 0 makes an empty array, not an error.
template <typename Handle, typename T, Kind kKind, typename Given>
Handle* create_array(const char* name, Registry<ArrayObject<T>, kKind>& registry,
                     const Given* values, uint64_t size) {
  return aclnn_create<Handle>(name, [&](const Call& call) -> void* {
    void* handle = registry.create(ArrayObject<T>{copied<T>(values, size)});
    return handle != nullptr ? handle : no_handle_left(call);
  });
}

template <typename Registry>
int32_t destroy_array(const char* name, Registry& registry, const void* array) {
  return aclnn_call(
      name, [&](const Call& call) { return destroy_handle(call, registry, "array", array); });
}

template <typename Registry>
int32_t array_size(const char* name, Registry& registry, const void* array, uint64_t* size) {
  return aclnn_call(name, [&](const Call& call) {
    if (array == nullptr) return call.null("array");
    if (size == nullptr) return call.null("size");
    return with_object(call, registry, "array", array,
                       [&](const auto& object) { *size = object.values.size(); });
  });
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return create_array<aclIntArray>("aclCreateIntArray", int_arrays(), value, size);
}

extern "C" aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return create_array<aclFloatArray>("aclCreateFloatArray", float_arrays(), value, size);
}

extern "C" aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return create_array<aclBoolArray>("aclCreateBoolArray", bool_arrays(), value, size);
}

extern "C" aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return destroy_array("aclDestroyIntArray", int_arrays(), array);
}

extern "C" aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return destroy_array("aclDestroyFloatArray", float_arrays(), array);
}

extern "C" aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return destroy_array("aclDestroyBoolArray", bool_arrays(), array);
}

extern "C" aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return array_size("aclGetIntArraySize", int_arrays(), array, size);
}

extern "C" aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return array_size("aclGetFloatArraySize", float_arrays(), array, size);
}

extern "C" aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return array_size("aclGetBoolArraySize", bool_arrays(), array, size);
}
