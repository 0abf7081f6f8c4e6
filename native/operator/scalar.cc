// SPDX-License-Identifier: Apache-2.0
#include "operator/scalar.h"

#include <cstring>
#include <string>

#include "dtypes.h"
#include "operator/minifloat.h"
#include "operator/objects.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

// Bytes of a scalar of this type, or 0 if there are no scalars of this type.
size_t scalar_size(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
      return 1;
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64:
    case ACL_BOOL:
    case ACL_COMPLEX64:
    case ACL_COMPLEX128:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return data_type_api_size(dtype);
    default:
      return 0;
  }
}

template <typename From>
From load(const ScalarValue& scalar) {
  From value;
  std::memcpy(&value, scalar.bytes, sizeof value);
  return value;
}

double minifloat_value(aclDataType dtype, uint8_t bits) {
  switch (dtype) {
    case ACL_HIFLOAT8:
      return hifloat8(bits);
    case ACL_FLOAT8_E5M2:
      return minifloat(bits, 5, 2, Specials::kInfAndNan);
    case ACL_FLOAT8_E4M3FN:
      return minifloat(bits, 4, 3, Specials::kNanOnly);
    case ACL_FLOAT8_E8M0:
      return e8m0(bits);
    case ACL_FLOAT6_E3M2:
      return minifloat(bits, 3, 2, Specials::kNone);
    case ACL_FLOAT6_E2M3:
      return minifloat(bits, 2, 3, Specials::kNone);
    case ACL_FLOAT4_E2M1:
      return minifloat(bits, 2, 1, Specials::kNone);
    case ACL_FLOAT4_E1M2:
      return minifloat(bits, 1, 2, Specials::kNone);
    default:
      return 0;  // complex scalars have no real value; operators reject them first
  }
}

// One rounding only: a 64-bit integer goes to float without passing through double.
template <typename To>
To value_as(const ScalarValue& scalar) {
  switch (scalar.dtype) {
    case ACL_FLOAT:
      return static_cast<To>(load<float>(scalar));
    case ACL_FLOAT16:
      return static_cast<To>(widen(load<Half>(scalar)));
    case ACL_BF16:
      return static_cast<To>(widen(load<BFloat16>(scalar)));
    case ACL_DOUBLE:
      return static_cast<To>(load<double>(scalar));
    case ACL_INT8:
      return static_cast<To>(load<int8_t>(scalar));
    case ACL_INT16:
      return static_cast<To>(load<int16_t>(scalar));
    case ACL_INT32:
      return static_cast<To>(load<int32_t>(scalar));
    case ACL_INT64:
      return static_cast<To>(load<int64_t>(scalar));
    case ACL_UINT8:
      return static_cast<To>(load<uint8_t>(scalar));
    case ACL_UINT16:
      return static_cast<To>(load<uint16_t>(scalar));
    case ACL_UINT32:
      return static_cast<To>(load<uint32_t>(scalar));
    case ACL_UINT64:
      return static_cast<To>(load<uint64_t>(scalar));
    case ACL_BOOL:
      return static_cast<To>(load<uint8_t>(scalar) != 0);
    default:
      return static_cast<To>(minifloat_value(scalar.dtype, scalar.bytes[0]));
  }
}

}  // namespace

double ScalarValue::to_double() const { return value_as<double>(*this); }
float ScalarValue::to_float() const { return value_as<float>(*this); }

int64_t integer_of(const ScalarValue& scalar) {
  const TypeCategory category = data_type_category(scalar.dtype);
  if (category == TypeCategory::kInteger || category == TypeCategory::kBool) {
    return value_as<int64_t>(scalar);
  }
  const double value = scalar.to_double();
  if (value >= 0x1p63) return INT64_MAX;
  if (value <= -0x1p63) return INT64_MIN;
  return value == value ? static_cast<int64_t>(value) : 0;
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return aclnn_create<aclScalar>("aclCreateScalar", [&](const Call& call) -> void* {
    if (value == nullptr) {
      call.null("value");
      return nullptr;
    }
    const size_t size = scalar_size(dataType);
    if (size == 0) {
      call.fail(
          ACLNN_ERR_PARAM_INVALID, "dataType",
          "is " + std::string(data_type_name(dataType)) + " (" +
              std::to_string(static_cast<int>(dataType)) +
              "); scalars are floating, integer (8 to 64 bits), BOOL, COMPLEX64 or COMPLEX128");
      return nullptr;
    }
    ScalarObject scalar;
    scalar.value.present = true;
    scalar.value.dtype = dataType;
    std::memcpy(scalar.value.bytes, value, size);
    void* handle = scalars().create(scalar);
    return handle != nullptr ? handle : no_handle_left(call);
  });
}

extern "C" aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return aclnn_call("aclDestroyScalar", [&](const Call& call) {
    return destroy_handle(call, scalars(), "scalar", scalar);
  });
}
