// SPDX-License-Identifier: Apache-2.0
#include "engines/cast_bytes.h"

#include <algorithm>
#include <cmath>

#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kCodes = 256;
constexpr int64_t kPiece = 512;  // elements
constexpr uint8_t kSign = 0x80;

// What becomes of numbers that are too large, as if it were the next number, and of NaN.
struct Limits {
  float next;
  uint8_t overflow;
  uint8_t nan;
};

constexpr Limits limits_of(aclDataType dtype) {
  if (dtype == ACL_FLOAT8_E5M2) return {65536, 0x7C, 0x7E};
  if (dtype == ACL_FLOAT8_E4M3FN) return {480, 0x7F, 0x7F};
  return {49152, 0x6F, kSign};
}

struct Magnitude {
  float value;
  uint8_t code;
};

// All numbers of a type by their bits, and those that are not negative in ascending order.
struct ByteType {
  explicit ByteType(aclDataType dtype) : limits(limits_of(dtype)) {
    ScalarValue scalar;
    scalar.dtype = dtype;
    for (int code = 0; code < kCodes; ++code) {
      scalar.bytes[0] = static_cast<unsigned char>(code);
      values[code] = scalar.to_float();
      if (code < kSign && std::isfinite(values[code])) {
        magnitudes[count++] = {values[code], static_cast<uint8_t>(code)};
      }
    }
    magnitudes[count++] = {limits.next, limits.overflow};
    std::sort(magnitudes, magnitudes + count,
              [](const Magnitude& a, const Magnitude& b) { return a.value < b.value; });
  }

  Limits limits;
  int count = 0;
  float values[kCodes];
  Magnitude magnitudes[kSign + 1];
};

template <aclDataType kType>
const ByteType& byte_type() {
  static const ByteType type(kType);
  return type;
}

template <aclDataType kType>
uint8_t encode(const ByteType& type, float value) {
  if (value != value) return type.limits.nan;
  const float size = std::fabs(value);
  const Magnitude* const end = type.magnitudes + type.count;
  const Magnitude* const above =
      std::upper_bound(type.magnitudes, end, size,
                       [](float number, const Magnitude& each) { return number < each.value; });
  uint8_t code = above[-1].code;
  if (above != end) {
    const float middle = (above[-1].value + above->value) / 2;
    const bool half_goes_up = kType == ACL_HIFLOAT8 || code % 2 != 0;
    if (size > middle || (size == middle && half_goes_up)) code = above->code;
  }
  if (kType == ACL_HIFLOAT8 && code == 0) return code;  // its negative zero is NaN
  return std::signbit(value) ? code | kSign : code;
}

template <aclDataType kType, aclDataType kTo, int kSize>
void cast_from_bytes(const char* from, char* to, int64_t n) {
  const ByteType& type = byte_type<kType>();
  const CastArray cast = find_array_cast(ACL_FLOAT, kTo);
  alignas(64) char floats[kPiece * sizeof(float)];
  for (int64_t begin = 0, count; begin < n; begin += count) {
    count = std::min(kPiece, n - begin);
    for (int64_t i = 0; i < count; ++i) {
      store(floats + i * 4, type.values[load<uint8_t>(from + begin + i)]);
    }
    cast(floats, to + begin * kSize, count);
  }
}

template <aclDataType kType, aclDataType kFrom, int kSize>
void cast_to_bytes(const char* from, char* to, int64_t n) {
  const ByteType& type = byte_type<kType>();
  const CastArray cast = find_array_cast(kFrom, ACL_FLOAT);
  alignas(64) char floats[kPiece * sizeof(float)];
  for (int64_t begin = 0, count; begin < n; begin += count) {
    count = std::min(kPiece, n - begin);
    cast(from + begin * kSize, floats, count);
    for (int64_t i = 0; i < count; ++i) {
      store(to + begin + i, encode<kType>(type, load<float>(floats + i * 4)));
    }
  }
}

template <aclDataType kType>
CastArray find_from(aclDataType to) {
  if (to == ACL_FLOAT) return cast_from_bytes<kType, ACL_FLOAT, 4>;
  if (to == ACL_FLOAT16) return cast_from_bytes<kType, ACL_FLOAT16, 2>;
  return to == ACL_BF16 ? cast_from_bytes<kType, ACL_BF16, 2> : nullptr;
}

template <aclDataType kType>
CastArray find_to(aclDataType from) {
  if (from == ACL_FLOAT) return cast_to_bytes<kType, ACL_FLOAT, 4>;
  if (from == ACL_FLOAT16) return cast_to_bytes<kType, ACL_FLOAT16, 2>;
  return from == ACL_BF16 ? cast_to_bytes<kType, ACL_BF16, 2> : nullptr;
}

template <aclDataType kType>
CastArray find_for(aclDataType from, aclDataType to) {
  if (from == kType) return find_from<kType>(to);
  return to == kType ? find_to<kType>(from) : nullptr;
}

}  // namespace

CastArray find_byte_cast(aclDataType from, aclDataType to) {
  if (const CastArray cast = find_for<ACL_HIFLOAT8>(from, to)) return cast;
  if (const CastArray cast = find_for<ACL_FLOAT8_E5M2>(from, to)) return cast;
  return find_for<ACL_FLOAT8_E4M3FN>(from, to);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
