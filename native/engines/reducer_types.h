// SPDX-License-Identifier: Apache-2.0
// What reducers know about types.
#pragma once

#include <cstdint>
#include <type_traits>

#include "acl/acl_base.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reducers {

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;

template <typename T>
constexpr aclDataType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return ACL_FLOAT;
  if constexpr (std::is_same_v<T, double>) return ACL_DOUBLE;
  if constexpr (std::is_same_v<T, Complex<double>>) return ACL_COMPLEX128;
  if constexpr (std::is_same_v<T, int8_t>) return ACL_INT8;
  if constexpr (std::is_same_v<T, uint8_t>) return ACL_UINT8;
  if constexpr (std::is_same_v<T, int16_t>) return ACL_INT16;
  if constexpr (std::is_same_v<T, uint16_t>) return ACL_UINT16;
  if constexpr (std::is_same_v<T, int32_t>) return ACL_INT32;
  return ACL_INT64;
}

template <typename T>
bool is_nan(T value) {
  return value != value;
}

// What values are added and multiplied in.
template <typename T>
using Total = std::conditional_t<kIsComplex<T>, Complex<double>,
                                 std::conditional_t<kIsFloat<T>, double, uint64_t>>;

}  // namespace reducers
}  // namespace ACLHOST_ISA
}  // namespace aclhost
