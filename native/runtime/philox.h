// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10 (Salmon et al. 2011), a block at a time, by a counter of 128 bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace aclhost {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t seed, const void* counter) : seed_(seed) {
    std::memcpy(&low_, counter, sizeof low_);
    std::memcpy(&high_, static_cast<const char*>(counter) + sizeof low_, sizeof high_);
  }

  // The place-th block from the counter on. Attempts at one place are far from all other places.
  Block block(uint64_t place, uint64_t attempt = 0) const {
    const uint64_t low = low_ + place;
    const uint64_t high = high_ + (low < place ? 1 : 0) + (attempt << 32);
    return scrambled(low, high);
  }

  // Standard normal, by Box and Muller, drawn again while it is farther from 0 than the bound.
  double normal(uint64_t place, double bound) const {
    for (uint64_t attempt = 0;; ++attempt) {
      const Block words = block(place, attempt);
      for (int pair = 0; pair < 4; pair += 2) {
        const double radius = std::sqrt(-2.0 * std::log((words[pair] + 1.0) * 0x1p-32));
        const double angle = 2.0 * M_PI * 0x1p-32 * words[pair + 1];
        const double number = radius * std::cos(angle);
        if (std::fabs(number) <= bound) return number;
      }
    }
  }

  // Leaves the counter behind so many blocks.
  void advance(uint64_t blocks, void* counter) const {
    const uint64_t low = low_ + blocks;
    const uint64_t high = high_ + (low < blocks ? 1 : 0);
    std::memcpy(counter, &low, sizeof low);
    std::memcpy(static_cast<char*>(counter) + sizeof low, &high, sizeof high);
  }

 private:
  Block scrambled(uint64_t low, uint64_t high) const {
    Block words = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                   static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
    auto key0 = static_cast<uint32_t>(seed_), key1 = static_cast<uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * words[0], b = uint64_t{0xCD9E8D57} * words[2];
      words = {static_cast<uint32_t>(b >> 32) ^ words[1] ^ key0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ words[3] ^ key1, static_cast<uint32_t>(a)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return words;
  }

  const uint64_t seed_;
  uint64_t low_, high_;
};

}  // namespace aclhost
