// SPDX-License-Identifier: Apache-2.0
// What stands behind the handles of acl_meta.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/call.h"
#include "base/registry.h"
#include "operator/views.h"
#include "runtime/memory.h"

namespace aclhost {

struct TensorObject {
  TensorView
      view;  // always present; source is the tensor's own handle; its format is the storage's
  aclFormat view_format;
  std::vector<int64_t> storage_shape;
};

struct ScalarObject {
  ScalarValue value;  // always present
};

template <typename T>
struct ArrayObject {
  std::vector<T> values;
};
using IntArrayObject = ArrayObject<int64_t>;
using FloatArrayObject = ArrayObject<float>;
using BoolArrayObject = ArrayObject<char>;  // std::vector<bool> has no addressable elements

struct ListObject {
  std::vector<const void*> elements;  // handles, null ones included
};

using TensorRegistry = Registry<TensorObject, Kind::kTensor>;
using ScalarRegistry = Registry<ScalarObject, Kind::kScalar>;
using IntArrayRegistry = Registry<IntArrayObject, Kind::kIntArray>;
using FloatArrayRegistry = Registry<FloatArrayObject, Kind::kFloatArray>;
using BoolArrayRegistry = Registry<BoolArrayObject, Kind::kBoolArray>;
using TensorListRegistry = Registry<ListObject, Kind::kTensorList>;
using ScalarListRegistry = Registry<ListObject, Kind::kScalarList>;

// Never destroyed: clients free things in static destructors, after this library's own would run.
TensorRegistry& tensors();
ScalarRegistry& scalars();
IntArrayRegistry& int_arrays();
FloatArrayRegistry& float_arrays();
BoolArrayRegistry& bool_arrays();
TensorListRegistry& tensor_lists();
ScalarListRegistry& scalar_lists();

// Reports a handle that names nothing; was_ours tells a stale one from a foreign one.
int32_t invalid_handle(const Call& call, const char* parameter, const void* handle, bool was_ours);

// Reports that no handle of this kind is left.
std::nullptr_t no_handle_left(const Call& call);

// What a pointer and a length describe; a null pointer describes nothing, whatever the length.
template <typename T, typename Given>
std::vector<T> copied(const Given* values, uint64_t size) {
  // A long array is rare enough to make sure that it is there.
  constexpr uint64_t kLong = 1024;
  if (values != nullptr && size > kLong &&
      (size > SIZE_MAX / sizeof(Given) ||
       !is_accessible(values, size * sizeof(Given), Access::kRead))) {
    throw std::length_error("the array is shorter than the size passed with it");
  }
  std::vector<T> copy(values == nullptr ? 0 : size);
  std::copy_n(values, copy.size(), copy.begin());
  return copy;
}

template <typename Registry>
int32_t destroy_handle(const Call& call, Registry& registry, const char* parameter,
                       const void* handle) {
  if (handle == nullptr || registry.destroy(handle)) return ACLNN_SUCCESS;
  return invalid_handle(call, parameter, handle, registry.was_ours(handle));
}

// Looks the handle up and lets a body of the form `void(Object&)` read or change the object.
template <typename Registry, typename Body>
int32_t with_object(const Call& call, Registry& registry, const char* parameter, const void* handle,
                    Body&& body) {
  const typename Registry::Ref object = registry.find(handle);
  if (!object) return invalid_handle(call, parameter, handle, registry.was_ours(handle));
  body(*object);
  return ACLNN_SUCCESS;
}

}  // namespace aclhost
