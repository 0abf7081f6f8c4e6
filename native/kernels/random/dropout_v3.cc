// SPDX-License-Identifier: Apache-2.0
#include "ops/dropout_v3.h"

#include "engines/copy.h"
#include "engines/dense.h"
#include "kernels/random/mask.h"
#include "kernels/random/threads.h"
#include "ops/dropout_v3_grad.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// How many elements side by side a thread of upstream's takes at once: all of them 16 bytes.
int64_t vector_length(int64_t n, int64_t item_size) {
  int64_t length = 16 / item_size;
  while (n % length != 0) length /= 2;
  return length;
}

// A thread takes blocks of four words for its vectors, and drops what is left of the last.
class VectorWords {
 public:
  VectorWords(int64_t n, int64_t length, const Seed& seed)
      : threads_(n, seed.key, 0), length_(length), key_(seed.key) {
    place_ = seed.offset / 4 + (seed.offset % 4 != 0);
  }

  // Of whole vectors: bytes of the mask have eight elements, which no vector exceeds.
  void fill(uint32_t* words, int64_t first, int64_t count) const {
    int64_t vector = first / length_;
    const int64_t end = vector + count / length_;
    for (int64_t taken; vector < end; vector += taken, words += taken * length_) {
      taken = std::min({end - vector, threads_.left_in_row(vector), kMost});
      fill_vectors(words, vector, taken);
    }
  }

 private:
  static constexpr int64_t kMost = 64;  // vectors at once

  // Their first blocks, then their second ones. Short vectors use a part of a block.
  void fill_vectors(uint32_t* words, int64_t vector, int64_t count) const {
    const int64_t row = vector / threads_.threads(), thread = vector % threads_.threads();
    const int64_t blocks = (length_ + 3) / 4, used = std::min<int64_t>(length_, 4);
    uint32_t made[4 * kMost];
    for (int64_t block = 0; block < blocks; ++block) {
      const uint64_t place = place_ + static_cast<uint64_t>(row * blocks + block);
      RandomWords::of_sequences(key_, place).fill(made, 4 * thread, 4 * count);
      uint32_t* const to = words + 4 * block;
      for (int64_t i = 0; i < count; ++i) std::copy_n(made + 4 * i, used, to + i * length_);
    }
  }

  ThreadWords threads_;
  int64_t length_;
  uint64_t key_, place_;
};

Status make_mask_of_threads(const DropoutV3Args& args) {
  const int64_t n = args.input.elements();
  const int64_t length = vector_length(n, data_type_bits(args.input.dtype) / 8);
  const Seed seed = seed_of(args);
  if (length > 1) {
    const VectorWords random(n, length, seed);
    return make_mask(args.maskOut, n, args.p, [&](uint32_t* words, int64_t first, int64_t count) {
      random.fill(words, first, count);
    });
  }
  const ThreadWords random(n, seed.key, 4 * (seed.offset / 4 + (seed.offset % 4 != 0)));
  return make_mask(args.maskOut, n, args.p, [&](uint32_t* words, int64_t first, int64_t count) {
    random.fill_in_rows(words, first, count);
  });
}

}  // namespace

Status run(const DropoutV3Args& args) {
  const Status made = make_mask_of_threads(args);
  if (!made.ok()) return made;
  if (args.p == 0) return copy(args.out, args.input);
  if (args.p == 1) return deliver_one(0, args.input.dtype, args.out);
  const float scale = 1.0f / static_cast<float>(1 - args.p);
  return apply_mask(args.input, args.maskOut, scale, true, args.out);
}

Status run(const DropoutV3GradArgs& args) {
  return apply_mask(args.gradY, args.mask, static_cast<float>(args.scale), true, args.gradX);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
