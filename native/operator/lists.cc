// SPDX-License-Identifier: Apache-2.0
// Lists own their elements: destroying a list destroys them as well.
#include "operator/objects.h"

namespace aclhost {
namespace {

template <typename Handle, typename Registry, typename Element>
Handle* create_list(const char* name, Registry& registry, const Element* const* values,
                    uint64_t size) {
  return aclnn_create<Handle>(name, [&](const Call& call) -> void* {
    void* handle = registry.create(ListObject{copied<const void*>(values, size)});
    return handle != nullptr ? handle : no_handle_left(call);
  });
}

template <typename Lists, typename Elements>
int32_t destroy_list(const char* name, Lists& lists, Elements& elements, const void* handle) {
  return aclnn_call(name, [&](const Call& call) {
    const typename Lists::Ref list = lists.find(handle);
    const int32_t code = destroy_handle(call, lists, "array", handle);
    if (code != ACLNN_SUCCESS || !list) return code;
    // An element that the client destroyed by itself is not worth an error.
    for (const void* element : list->elements) elements.destroy(element);
    return code;
  });
}

template <typename Lists>
int32_t list_size(const char* name, Lists& lists, const char* parameter, const void* handle,
                  uint64_t* size) {
  return aclnn_call(name, [&](const Call& call) {
    if (handle == nullptr) return call.null(parameter);
    if (size == nullptr) return call.null("size");
    return with_object(call, lists, parameter, handle,
                       [&](const ListObject& list) { *size = list.elements.size(); });
  });
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return create_list<aclTensorList>("aclCreateTensorList", tensor_lists(), value, size);
}

extern "C" aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return create_list<aclScalarList>("aclCreateScalarList", scalar_lists(), value, size);
}

extern "C" aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return destroy_list("aclDestroyTensorList", tensor_lists(), tensors(), array);
}

extern "C" aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return destroy_list("aclDestroyScalarList", scalar_lists(), scalars(), array);
}

extern "C" aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return list_size("aclGetTensorListSize", tensor_lists(), "tensorList", tensorList, size);
}

extern "C" aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return list_size("aclGetScalarListSize", scalar_lists(), "scalarList", scalarList, size);
}
