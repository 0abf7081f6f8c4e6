// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/mask.h"

#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/in_order.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Words that keep an element: the least ones.
struct KeptWords {
  explicit KeptWords(float chance)
      : count(words_below(chance)), last(static_cast<uint32_t>(count - 1)) {}

  bool operator()(uint32_t word) const { return count != 0 && word <= last; }

  uint64_t count;  // up to 2^32
  uint32_t last;
};

constexpr int64_t kMaskBlock = kOrderedBlock / 8;  // bytes

float rounded_to(float number, aclDataType dtype) {
  char element[4];
  float rounded = number;
  find_array_cast(ACL_FLOAT, dtype)(reinterpret_cast<const char*>(&number), element, 1);
  find_array_cast(dtype, ACL_FLOAT)(element, reinterpret_cast<char*>(&rounded), 1);
  return rounded;
}

constexpr int kMaskBits = 32;  // that are looked at together

inline Vector<uint32_t> lane_bits() {
  Vector<uint32_t> bits;
  for (int i = 0; i < kLanes<uint32_t>; ++i) bits[i] = 1u << i;
  return bits;
}

template <bool kMultiplied>
Vector<float> scaled(Vector<float> numbers, MaskOf<Vector<float>> kept, float scale) {
  const Vector<float> zeros = {}, ones = zeros + 1;
  return kMultiplied ? numbers * (kept ? ones : zeros) * scale : kept ? numbers * scale : zeros;
}

// Elements from the first of a byte on. What is dropped becomes 0, or is multiplied by 0.
template <bool kMultiplied>
void scale_kept(const float* in, const uint8_t* mask, float scale, float* out, int64_t count) {
  int64_t i = 0;
  for (; i + kMaskBits <= count; i += kMaskBits) {
    const auto bits = load<uint32_t>(reinterpret_cast<const char*>(mask + i / 8));
    for (int k = 0; k < kMaskBits; k += kLanes<float>) {
      const auto numbers = load_vector<Vector<float>>(in + i + k);
      const auto kept = (splat<Vector<uint32_t>>(bits >> k) & lane_bits()) != 0;
      store_vector(out + i + k, scaled<kMultiplied>(numbers, kept, scale));
    }
  }
  for (; i < count; ++i) {
    const bool kept = (mask[i / 8] >> i % 8 & 1) != 0;
    out[i] = kMultiplied ? in[i] * (kept ? 1.0f : 0.0f) * scale : kept ? in[i] * scale : 0.0f;
  }
}

// The product moves flag i, at bit 8 i, to bit 56 + i, and no two of its terms meet.
void pack_bits(const uint8_t* flags, uint8_t* bytes, int64_t count) {
  for (int64_t i = 0; i < count / 8; ++i) {
    const uint64_t eight = load<uint64_t>(reinterpret_cast<const char*>(flags + 8 * i));
    bytes[i] = static_cast<uint8_t>(eight * 0x0102040810204080u >> 56);
  }
}

}  // namespace

Status make_mask(const TensorView& mask, int64_t elements, double drop, const MaskWords& fill) {
  if (is_certainly(drop, 0)) return deliver_one(255, ACL_UINT8, mask);
  if (is_certainly(drop, 1)) return deliver_one(0, ACL_UINT8, mask);
  const KeptWords kept(static_cast<float>(1 - drop));
  const auto make = [&](char* bytes, int64_t place, int64_t count) {
    uint32_t words[kOrderedBlock];
    uint8_t flags[kOrderedBlock];
    for (int64_t done = 0; done < count; done += kMaskBlock) {
      const int64_t first = 8 * (place + done), size = 8 * std::min(kMaskBlock, count - done);
      const int64_t inside = std::clamp<int64_t>(elements - first, 0, size);
      fill(words, first, inside);
      for (int64_t i = 0; i < inside; ++i) flags[i] = kept(words[i]);
      std::fill(flags + inside, flags + size, 0);
      pack_bits(flags, reinterpret_cast<uint8_t*>(bytes) + done, size);
    }
  };
  return write_blocks_in_order(mask, ACL_UINT8, make);
}

Status make_mask(const TensorView& mask, int64_t elements, double drop, const Seed& seed) {
  const RandomWords random = words_in_order(seed);
  return make_mask(mask, elements, drop, [&](uint32_t* words, int64_t first, int64_t count) {
    random.fill(words, first, count);
  });
}

Status apply_mask(const TensorView& in, const TensorView& mask, float scale, bool multiplied,
                  const TensorView& out) {
  DenseArray elements, bits;
  Status status = elements.take(in, in.dtype);
  if (status.ok()) status = bits.take(mask, ACL_UINT8);
  if (!status.ok()) return status;
  const auto apply = multiplied ? scale_kept<true> : scale_kept<false>;
  const int64_t size = data_type_bits(in.dtype) / 8;
  const CastArray widen = find_array_cast(in.dtype, ACL_FLOAT);
  const CastArray narrow = find_array_cast(ACL_FLOAT, in.dtype);
  const auto write = [&](char* to, int64_t place, int64_t count) {
    const char* const from = elements.as<char>() + place * size;
    const uint8_t* const bytes = bits.as<uint8_t>() + place / 8;
    if (in.dtype == ACL_FLOAT) {
      apply(reinterpret_cast<const float*>(from), bytes, scale, reinterpret_cast<float*>(to),
            count);
      return;
    }
    float numbers[kOrderedBlock];
    widen(from, reinterpret_cast<char*>(numbers), count);
    apply(numbers, bytes, scale, numbers, count);
    narrow(reinterpret_cast<const char*>(numbers), to, count);
  };
  return write_blocks_in_order(out, in.dtype, write);
}

Status drop(const TensorView& in, const TensorView& mask, double drop, const TensorView& out) {
  if (is_certainly(drop, 0)) return copy(out, in);
  if (is_certainly(drop, 1)) return deliver_one(0, in.dtype, out);
  const float kept = rounded_to(static_cast<float>(1 - drop), in.dtype);
  return apply_mask(in, mask, 1.0f / kept, false, out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
