// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/mask.h"

#include <cstring>

#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/in_order.h"
#include "kernels/random/dense_input.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kMaskBlock = kOrderedBlock / 8;  // bytes

float rounded_to(float number, aclDataType dtype) {
  char element[4];
  float rounded = number;
  find_array_cast(ACL_FLOAT, dtype)(reinterpret_cast<const char*>(&number), element, 1);
  find_array_cast(dtype, ACL_FLOAT)(element, reinterpret_cast<char*>(&rounded), 1);
  return rounded;
}

// Elements from the first of a byte on.
void scale_kept(const float* in, const uint8_t* mask, float scale, float* out, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const int byte = mask[i / 8];
#pragma GCC unroll 8
    for (int bit = 0; bit < 8; ++bit) {
      const float scaled = in[i + bit] * scale;
      out[i + bit] = (byte >> bit & 1) != 0 ? scaled : 0.0f;
    }
  }
  for (; i < count; ++i) out[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? in[i] * scale : 0.0f;
}

Status fill_with(const TensorView& out, float number) {
  ScalarValue value;
  value.present = true;
  value.dtype = ACL_FLOAT;
  std::memcpy(value.bytes, &number, sizeof number);
  return fill(out, value);
}

}  // namespace

// The product moves flag i, at bit 8 i, to bit 56 + i, and no two of its terms meet.
void pack_bits(const uint8_t* flags, uint8_t* bytes, int64_t count) {
  for (int64_t i = 0; i < count / 8; ++i) {
    const uint64_t eight = load<uint64_t>(reinterpret_cast<const char*>(flags + 8 * i));
    bytes[i] = static_cast<uint8_t>(eight * 0x0102040810204080u >> 56);
  }
}

Status make_mask(const TensorView& mask, int64_t elements, double drop, const Seed& seed) {
  if (is_certainly(drop, 0)) return fill_with(mask, 255);
  if (is_certainly(drop, 1)) return fill_with(mask, 0);
  const RandomWords random = words_in_order(seed);
  const KeptWords kept(static_cast<float>(1 - drop));
  const auto make = [&](char* bytes, int64_t place, int64_t count) {
    uint32_t words[kOrderedBlock];
    uint8_t flags[kOrderedBlock];
    for (int64_t done = 0; done < count; done += kMaskBlock) {
      const int64_t first = 8 * (place + done), size = 8 * std::min(kMaskBlock, count - done);
      const int64_t inside = std::clamp<int64_t>(elements - first, 0, size);
      random.fill(words, first, inside);
      for (int64_t i = 0; i < inside; ++i) flags[i] = kept(words[i]);
      std::fill(flags + inside, flags + size, 0);
      pack_bits(flags, reinterpret_cast<uint8_t*>(bytes) + done, size);
    }
  };
  return write_blocks_in_order(mask, ACL_UINT8, make);
}

Status apply_mask(const TensorView& in, const TensorView& mask, float scale,
                  const TensorView& out) {
  DenseInput elements, bits;
  Status status = read_dense(in, in.dtype, out, elements);
  if (status.ok()) status = read_dense(mask, ACL_UINT8, out, bits);
  if (!status.ok()) return status;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(bits.elements);
  const int64_t size = data_type_bits(in.dtype) / 8;
  const CastArray widen = find_array_cast(in.dtype, ACL_FLOAT);
  const CastArray narrow = find_array_cast(ACL_FLOAT, in.dtype);
  const auto write = [&](char* to, int64_t place, int64_t count) {
    const char* const from = elements.elements + place * size;
    if (in.dtype == ACL_FLOAT) {
      scale_kept(reinterpret_cast<const float*>(from), bytes + place / 8, scale,
                 reinterpret_cast<float*>(to), count);
      return;
    }
    float numbers[kOrderedBlock];
    widen(from, reinterpret_cast<char*>(numbers), count);
    scale_kept(numbers, bytes + place / 8, scale, numbers, count);
    narrow(reinterpret_cast<const char*>(numbers), to, count);
  };
  return write_blocks_in_order(out, in.dtype, write);
}

Status drop(const TensorView& in, const TensorView& mask, double drop, const TensorView& out) {
  if (is_certainly(drop, 0)) return copy(out, in);
  if (is_certainly(drop, 1)) return fill_with(out, 0);
  const float kept = rounded_to(static_cast<float>(1 - drop), in.dtype);
  return apply_mask(in, mask, 1.0f / kept, out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
