// SPDX-License-Identifier: Apache-2.0
// What an operator sees of its arguments: plain values, copied out of the handles in phase 1.
//
// Clients destroy every handle right after phase 2 returned, so nothing here points into one.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"

namespace aclhost {

constexpr int kMaxRank = 25;  // aclCreateTensor knows no rank above it

struct Shape {
  int rank = 0;
  int64_t dims[kMaxRank];
};

struct TensorView {
  TensorView() {}  // leaves shape and strides as they are

  bool present = false;  // false: the caller passed a null pointer
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];  // in elements; any sign, zero included
  int64_t offset = 0;         // in elements, from data
  int64_t storage_elements = 0;
  void* data = nullptr;               // start of the storage
  const aclTensor* source = nullptr;  // the handle it was copied from; compared, never followed

  // Unsigned arithmetic: absurd sizes are legal in a description and must not trap.
  int64_t elements() const {
    uint64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= static_cast<uint64_t>(shape[i]);
    return static_cast<int64_t>(product);
  }
  bool empty() const {
    for (int i = 0; i < rank; ++i) {
      if (shape[i] == 0) return true;
    }
    return false;
  }
};

// What assignment would copy as well are the lengths and strides that do not exist.
inline void copy_view(const TensorView& from, TensorView* to) {
  to->present = from.present;
  to->dtype = from.dtype;
  to->format = from.format;
  to->rank = from.rank;
  for (int i = 0; i < from.rank; ++i) to->shape[i] = from.shape[i];
  for (int i = 0; i < from.rank; ++i) to->strides[i] = from.strides[i];
  to->offset = from.offset;
  to->storage_elements = from.storage_elements;
  to->data = from.data;
  to->source = from.source;
}

inline Shape shape_of(const TensorView& view) {
  Shape shape;
  shape.rank = view.rank;
  for (int i = 0; i < view.rank; ++i) shape.dims[i] = view.shape[i];
  return shape;
}

// A loop of its own: std::equal calls memcmp, which takes longer than a few comparisons.
inline bool has_dimensions(const TensorView& view, int rank, const int64_t* dims) {
  if (view.rank != rank) return false;
  for (int i = 0; i < rank; ++i) {
    if (view.shape[i] != dims[i]) return false;
  }
  return true;
}

inline bool has_shape(const TensorView& view, const Shape& shape) {
  return has_dimensions(view, shape.rank, shape.dims);
}

inline bool same_shape(const TensorView& a, const TensorView& b) {
  return has_dimensions(a, b.rank, b.shape);
}

// Absurd sizes are legal in a description and must not trap.
inline int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// A dense tensor without memory.
inline TensorView row_major_view(const Shape& shape, aclDataType dtype) {
  TensorView view;
  view.present = true;
  view.dtype = dtype;
  view.format = ACL_FORMAT_ND;
  view.rank = shape.rank;
  view.storage_elements = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    view.shape[i] = shape.dims[i];
    view.strides[i] = view.storage_elements;
    view.storage_elements = wrapping_product(view.storage_elements, shape.dims[i]);
  }
  return view;
}

struct ScalarValue {
  bool present = false;
  aclDataType dtype = ACL_DT_UNDEFINED;
  alignas(16) unsigned char bytes[16] = {};

  double to_double() const;
  float to_float() const;  // integers and BOOL are converted, FLOAT16 goes through double
};

// Several values: an array of numbers, or the members of a list.
template <typename T>
struct ListView {
  bool present = false;
  uint64_t size = 0;
  const T* values = nullptr;

  const T* begin() const { return values; }
  const T* end() const { return values + size; }
  // A value that does not exist counts as the fallback.
  T at(uint64_t i, T fallback = T()) const { return i < size ? values[i] : fallback; }
};
using IntArrayView = ListView<int64_t>;

}  // namespace aclhost
