// SPDX-License-Identifier: Apache-2.0
#include "engines/sort_keys.h"

#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Bits>
void unsigned_keys(const char* values, int64_t n, uint64_t flip, uint64_t* keys) {
  for (int64_t i = 0; i < n; ++i) keys[i] = load<Bits>(values + i * sizeof(Bits)) ^ flip;
}

template <typename Bits>
void unsigned_values(const uint64_t* keys, int64_t n, uint64_t flip, char* values) {
  for (int64_t i = 0; i < n; ++i) {
    store(values + i * sizeof(Bits), static_cast<Bits>(keys[i] ^ flip));
  }
}

template <typename Bits>
constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);

template <typename Bits>
void signed_keys(const char* values, int64_t n, uint64_t flip, uint64_t* keys) {
  unsigned_keys<Bits>(values, n, flip ^ kSign<Bits>, keys);
}

template <typename Bits>
void signed_values(const uint64_t* keys, int64_t n, uint64_t flip, char* values) {
  unsigned_values<Bits>(keys, n, flip ^ kSign<Bits>, values);
}

// Negative numbers are stored with growing magnitude.
template <typename Bits, Bits infinity, bool zeros_differ>
void float_keys(const char* values, int64_t n, uint64_t flip, uint64_t* keys) {
  constexpr Bits sign = kSign<Bits>, all = static_cast<Bits>(~Bits{0});
  for (int64_t i = 0; i < n; ++i) {
    const Bits bits = load<Bits>(values + i * sizeof(Bits));
    const Bits magnitude = bits & static_cast<Bits>(~sign);
    Bits key = static_cast<Bits>(bits ^ ((bits & sign) != 0 ? all : sign));
    key = magnitude == 0 && !zeros_differ ? sign : key;
    key = magnitude > infinity ? all : key;
    keys[i] = key ^ flip;
  }
}

template <typename Bits>
void float_values(const uint64_t* keys, int64_t n, uint64_t flip, char* values) {
  constexpr Bits sign = kSign<Bits>, all = static_cast<Bits>(~Bits{0});
  for (int64_t i = 0; i < n; ++i) {
    const Bits key = static_cast<Bits>(keys[i] ^ flip);
    store(values + i * sizeof(Bits), static_cast<Bits>(key ^ ((key & sign) != 0 ? sign : all)));
  }
}

template <typename Bits, Bits infinity>
KeyType float_type(bool zeros_differ) {
  return {zeros_differ ? float_keys<Bits, infinity, true> : float_keys<Bits, infinity, false>,
          float_values<Bits>, sizeof(Bits), true};
}
template <typename Bits>
constexpr KeyType kSigned = {signed_keys<Bits>, signed_values<Bits>, sizeof(Bits), false};
template <typename Bits>
constexpr KeyType kUnsigned = {unsigned_keys<Bits>, unsigned_values<Bits>, sizeof(Bits), false};

}  // namespace

KeyType key_type(aclDataType dtype, bool zeros_differ) {
  switch (dtype) {
    case ACL_FLOAT:
      return float_type<uint32_t, 0x7f800000>(zeros_differ);
    case ACL_FLOAT16:
      return float_type<uint16_t, 0x7c00>(zeros_differ);
    case ACL_BF16:
      return float_type<uint16_t, 0x7f80>(zeros_differ);
    case ACL_DOUBLE:
      return float_type<uint64_t, 0x7ff0000000000000>(zeros_differ);
    case ACL_INT8:
      return kSigned<uint8_t>;
    case ACL_INT16:
      return kSigned<uint16_t>;
    case ACL_INT32:
      return kSigned<uint32_t>;
    case ACL_INT64:
      return kSigned<uint64_t>;
    case ACL_UINT16:
      return kUnsigned<uint16_t>;
    case ACL_UINT32:
      return kUnsigned<uint32_t>;
    case ACL_UINT64:
      return kUnsigned<uint64_t>;
    default:  // UINT8 and BOOL
      return kUnsigned<uint8_t>;
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
