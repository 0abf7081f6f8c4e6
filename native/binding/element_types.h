// SPDX-License-Identifier: Apache-2.0
// What the array libraries call the element types.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "binding/dlpack.h"

namespace aclhost::python {

constexpr uint8_t kNoCode = 0xFF;  // a DLPack type code that no type has

struct ElementType {
  aclDataType dtype;
  int64_t size;      // in bytes
  const char* name;  // in NumPy or ml_dtypes, and in torch
  uint8_t dlpack_code;
};

inline constexpr ElementType kElementTypes[] = {
    {ACL_FLOAT, 4, "float32", dlpack::kFloat},
    {ACL_FLOAT16, 2, "float16", dlpack::kFloat},
    {ACL_BF16, 2, "bfloat16", dlpack::kBfloat},
    {ACL_DOUBLE, 8, "float64", dlpack::kFloat},
    {ACL_INT32, 4, "int32", dlpack::kInt},
    {ACL_INT64, 8, "int64", dlpack::kInt},
    {ACL_INT8, 1, "int8", dlpack::kInt},
    {ACL_INT16, 2, "int16", dlpack::kInt},
    {ACL_UINT8, 1, "uint8", dlpack::kUInt},
    {ACL_UINT16, 2, "uint16", dlpack::kUInt},
    {ACL_UINT32, 4, "uint32", dlpack::kUInt},
    {ACL_UINT64, 8, "uint64", dlpack::kUInt},
    {ACL_BOOL, 1, "bool", dlpack::kBool},
    {ACL_COMPLEX64, 8, "complex64", dlpack::kComplex},
    {ACL_COMPLEX128, 16, "complex128", dlpack::kComplex},
    {ACL_COMPLEX32, 4, "complex32", dlpack::kComplex},
    {ACL_FLOAT8_E5M2, 1, "float8_e5m2", dlpack::kFloat8E5M2},
    {ACL_FLOAT8_E4M3FN, 1, "float8_e4m3fn", dlpack::kFloat8E4M3fn},
    {ACL_FLOAT8_E8M0, 1, "float8_e8m0fnu", dlpack::kFloat8E8M0fnu},
};

// Null for a type that no array library has.
inline const ElementType* find_element_type(aclDataType dtype) {
  for (const ElementType& type : kElementTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

inline const ElementType* find_element_type(uint8_t dlpack_code, int64_t size) {
  for (const ElementType& type : kElementTypes) {
    if (type.dlpack_code == dlpack_code && type.size == size) return &type;
  }
  return nullptr;
}

}  // namespace aclhost::python
