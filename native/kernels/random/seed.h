// SPDX-License-Identifier: Apache-2.0
// Seeds and offsets, passed as numbers or in tensors.
#pragma once

#include <cstdint>

#include "dtypes.h"
#include "engines/random.h"
#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The first element of a tensor of 32 or 64 bits, as far as it is one.
inline uint64_t first_integer(const TensorView& tensor) {
  const int64_t size = data_type_bits(tensor.dtype) / 8;
  const char* const address = static_cast<const char*>(tensor.data) + tensor.offset * size;
  if (size == 8) return load<uint64_t>(address);
  return static_cast<uint64_t>(int64_t{load<int32_t>(address)});
}

struct Seed {
  uint64_t key, offset;
};

// Of arguments called seed and offset.
template <typename Args>
Seed seed_of(const Args& args) {
  return {static_cast<uint64_t>(args.seed), static_cast<uint64_t>(args.offset)};
}

// Of arguments called seedTensor, offsetTensor and offset.
template <typename Args>
Seed seed_in_tensors(const Args& args) {
  const uint64_t offset = first_integer(args.offsetTensor) + static_cast<uint64_t>(args.offset);
  return {first_integer(args.seedTensor), offset};
}

inline RandomWords words_in_order(const Seed& seed) { return {seed.key, seed.offset}; }

// Upstream counts words there, of which a block has four.
inline RandomWords words_of_sequences(const Seed& seed) {
  const uint64_t place = seed.offset / 4 + (seed.offset % 4 != 0);
  return RandomWords::of_sequences(seed.key, place);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
