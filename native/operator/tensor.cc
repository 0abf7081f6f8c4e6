// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "operator/objects.h"

namespace aclhost {
namespace {

// A shape and its length as the C functions pass them.
struct Dims {
  const char* name;
  const int64_t* values;
  uint64_t count;
};

int32_t check(const Call& call, const Dims& dims) {
  if (dims.values == nullptr && dims.count > 0) return call.null(dims.name);
  if (dims.count <= kMaxRank) return ACLNN_SUCCESS;
  return call.fail(ACLNN_ERR_PARAM_INVALID, dims.name,
                   "has " + std::to_string(dims.count) + " dimensions; at most " +
                       std::to_string(kMaxRank) + " are possible");
}

void set_shape(TensorView& view, const Dims& dims) {
  view.rank = static_cast<int>(dims.count);
  std::copy_n(dims.values, dims.count, view.shape);
}

void set_strides(TensorView& view, const int64_t* strides) {
  if (strides != nullptr) {
    std::copy_n(strides, view.rank, view.strides);
    return;
  }
  uint64_t dense = 1;  // unsigned, because absurd shapes may overflow
  for (int i = view.rank - 1; i >= 0; --i) {
    view.strides[i] = static_cast<int64_t>(dense);
    dense *= static_cast<uint64_t>(view.shape[i]);
  }
}

// The product of the dimensions, or the largest number if it cannot be counted.
int64_t element_count(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  }
  return product;
}

void set_storage(TensorObject& tensor, std::vector<int64_t> shape) {
  tensor.view.storage_elements = element_count(shape);
  tensor.storage_shape = std::move(shape);
}

int64_t* new_array(const int64_t* values, size_t count) {
  auto* copy = new int64_t[count];
  std::copy_n(values, count, copy);
  return copy;
}

// The common form of the queries: both pointers are required, the handle has to be live.
template <typename Answer, typename Read>
int32_t query(const char* name, const aclTensor* tensor, const char* answer_name, Answer* answer,
              Read&& read) {
  return aclnn_call(name, [&](const Call& call) {
    if (tensor == nullptr) return call.null("tensor");
    if (answer == nullptr) return call.null(answer_name);
    return with_object(call, tensors(), "tensor", tensor,
                       [&](const TensorObject& object) { *answer = read(object); });
  });
}

template <typename Read>
int32_t query_dims(const char* name, const aclTensor* tensor, const char* values_name,
                   int64_t** values, const char* count_name, uint64_t* count, Read&& read) {
  return aclnn_call(name, [&](const Call& call) {
    if (tensor == nullptr) return call.null("tensor");
    if (values == nullptr) return call.null(values_name);
    if (count == nullptr) return call.null(count_name);
    return with_object(call, tensors(), "tensor", tensor, [&](const TensorObject& object) {
      const auto [first, size] = read(object);
      *values = new_array(first, size);  // the caller releases it with delete[]
      *count = size;
    });
  });
}

using Range = std::pair<const int64_t*, size_t>;

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,
                                      aclDataType dataType, const int64_t* stride, int64_t offset,
                                      aclFormat format, const int64_t* storageDims,
                                      uint64_t storageDimsNum, void* tensorData) {
  return aclnn_create<aclTensor>("aclCreateTensor", [&](const Call& call) -> void* {
    const Dims view_dims{"viewDims", viewDims, viewDimsNum};
    const Dims storage_dims{"storageDims", storageDims, storageDimsNum};
    if (check(call, view_dims) != 0 || check(call, storage_dims) != 0) return nullptr;
    std::vector<int64_t> storage_shape = copied<int64_t>(storageDims, storageDimsNum);
    void* handle = tensors().create();
    if (handle == nullptr) return no_handle_left(call);
    const TensorRegistry::Ref created = tensors().find(handle);
    if (!created) return no_handle_left(call);  // destroyed by a thread that guessed the handle
    TensorObject& tensor = *created;
    tensor.view.present = true;
    tensor.view.source = static_cast<aclTensor*>(handle);
    tensor.view.dtype = dataType;
    tensor.view.format = tensor.view_format = format;
    tensor.view.offset = offset;
    tensor.view.data = tensorData;
    set_shape(tensor.view, view_dims);
    set_strides(tensor.view, stride);
    set_storage(tensor, std::move(storage_shape));
    return handle;
  });
}

extern "C" aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims,
                                     uint64_t viewDimsNum, aclDataType dataType,
                                     const int64_t* stride, int64_t offset, aclFormat format,
                                     const int64_t* storageDims, uint64_t storageDimsNum,
                                     void* tensorDataAddr) {
  return aclnn_call("aclInitTensor", [&](const Call& call) {
    if (tensor == nullptr) return call.null("tensor");
    const Dims view_dims{"viewDims", viewDims, viewDims == nullptr ? 0 : viewDimsNum};
    const Dims storage_dims{"storageDims", storageDims,
                            storageDims == nullptr ? 0 : storageDimsNum};
    if (const int32_t code = check(call, view_dims)) return code;
    if (const int32_t code = check(call, storage_dims)) return code;
    return with_object(call, tensors(), "tensor", tensor, [&](TensorObject& object) {
      if (storageDims != nullptr) set_storage(object, copied<int64_t>(storageDims, storageDimsNum));
      object.view.dtype = dataType;
      object.view.format = object.view_format = format;
      object.view.offset = offset;
      if (viewDims != nullptr) set_shape(object.view, view_dims);
      set_strides(object.view, stride);
      if (tensorDataAddr != nullptr) object.view.data = tensorDataAddr;
    });
  });
}

extern "C" aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return aclnn_call("aclDestroyTensor", [&](const Call& call) {
    return destroy_handle(call, tensors(), "tensor", tensor);
  });
}

extern "C" aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims,
                                       uint64_t* viewDimsNum) {
  return query_dims(
      "aclGetViewShape", tensor, "viewDims", viewDims, "viewDimsNum", viewDimsNum,
      [](const TensorObject& object) { return Range(object.view.shape, object.view.rank); });
}

extern "C" aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                                          uint64_t* storageDimsNum) {
  return query_dims("aclGetStorageShape", tensor, "storageDims", storageDims, "storageDimsNum",
                    storageDimsNum, [](const TensorObject& object) {
                      return Range(object.storage_shape.data(), object.storage_shape.size());
                    });
}

extern "C" aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                                         uint64_t* stridesNum) {
  return query_dims(
      "aclGetViewStrides", tensor, "stridesValue", stridesValue, "stridesNum", stridesNum,
      [](const TensorObject& object) { return Range(object.view.strides, object.view.rank); });
}

extern "C" aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return query("aclGetViewOffset", tensor, "offset", offset,
               [](const TensorObject& object) { return object.view.offset; });
}

extern "C" aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return query("aclGetFormat", tensor, "format", format,
               [](const TensorObject& object) { return object.view_format; });
}

extern "C" aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return query("aclGetDataType", tensor, "dataType", dataType,
               [](const TensorObject& object) { return object.view.dtype; });
}

extern "C" aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return query("aclGetRawTensorAddr", tensor, "addr", addr,
               [](const TensorObject& object) { return object.view.data; });
}

extern "C" aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return aclnn_call("aclSetRawTensorAddr", [&](const Call& call) {
    if (tensor == nullptr) return call.null("tensor");
    return with_object(call, tensors(), "tensor", tensor,
                       [&](TensorObject& object) { object.view.data = addr; });
  });
}
