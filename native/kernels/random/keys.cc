// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/keys.h"

#include <algorithm>
#include <cmath>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// So many that all keys differ in nine of ten permutations.
int key_bits(int64_t n) {
  const double count = static_cast<double>(n);
  const double enough = count - (6 * count * count + 1) / (12 * std::log(0.9));
  return std::min(64, static_cast<int>(std::ceil(std::log2(enough))));
}

}  // namespace

Keys::Keys(int64_t n, const Seed& seed) : seed_(seed), bits_(key_bits(n)) {
  constexpr int64_t kGroup = 256, kMostGroups = 624;
  threads_ = kGroup * std::min((n + kGroup - 1) / kGroup, kMostGroups);
  after_ = seed.offset + static_cast<uint64_t>(4 * (n / (2 * threads_) + 1));
}

int64_t Keys::fill(uint64_t* keys, int64_t first, int64_t count) const {
  constexpr int64_t kMost = 512;
  const int64_t row = first / threads_, thread = first % threads_;
  const int64_t taken = std::min({count, kMost, threads_ - thread});
  uint32_t words[2][kMost];
  for (int i = 0; i < 2; ++i) {
    const uint64_t place = seed_.offset + static_cast<uint64_t>(2 * row + i);
    RandomWords::of_sequences(seed_.key, place / 4)
        .fill_with_one(static_cast<int>(place % 4), words[i], thread, taken);
  }
  for (int64_t i = 0; i < taken; ++i) keys[i] = key_of(uint64_t{words[0][i]} << 32 | words[1][i]);
  return taken;
}

uint32_t Keys::tie_word(int64_t place, int64_t number) const {
  const uint64_t word = after_ + static_cast<uint64_t>(number);
  uint32_t found;
  RandomWords::of_sequences(seed_.key, word / 4)
      .fill_with_one(static_cast<int>(word % 4), &found, place, 1);
  return found;
}

// Upstream divides by the largest number of the type that it sorts, not by the count of them.
uint64_t Keys::key_of(uint64_t words) const {
  const uint64_t rest = bits_ <= 32 ? words % 0xffffffffu : words;
  return bits_ == 64 ? rest : rest & ((uint64_t{1} << bits_) - 1);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
