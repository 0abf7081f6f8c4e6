// SPDX-License-Identifier: Apache-2.0
#include "engines/random.h"

#include <algorithm>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kLanes = 16;  // blocks at once, so that a round is a few vectors
constexpr int64_t kWords = 4 * kLanes;

struct Blocks {
  uint32_t words[4][kLanes];
};

void start(Blocks& blocks, uint64_t first, uint64_t offset) {
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t number = first + static_cast<uint64_t>(i);
    blocks.words[0][i] = static_cast<uint32_t>(number);
    blocks.words[1][i] = static_cast<uint32_t>(number >> 32);
    blocks.words[2][i] = static_cast<uint32_t>(offset);
    blocks.words[3][i] = static_cast<uint32_t>(offset >> 32);
  }
}

void turn(Blocks& blocks, uint32_t low_key, uint32_t high_key) {
  auto& words = blocks.words;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t first = uint64_t{0xD2511F53u} * words[0][i];
    const uint64_t second = uint64_t{0xCD9E8D57u} * words[2][i];
    words[0][i] = static_cast<uint32_t>(second >> 32) ^ words[1][i] ^ low_key;
    words[1][i] = static_cast<uint32_t>(second);
    words[2][i] = static_cast<uint32_t>(first >> 32) ^ words[3][i] ^ high_key;
    words[3][i] = static_cast<uint32_t>(first);
  }
}

// kLanes blocks from one on, word by word.
void make_words(uint64_t seed, uint64_t offset, uint64_t first, uint32_t* words) {
  Blocks blocks;
  start(blocks, first, offset);
  uint32_t low_key = static_cast<uint32_t>(seed), high_key = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    turn(blocks, low_key, high_key);
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  for (int i = 0; i < kLanes; ++i) {
    for (int k = 0; k < 4; ++k) words[4 * i + k] = blocks.words[k][i];
  }
}

}  // namespace

void RandomWords::fill(uint32_t* words, int64_t first, int64_t count) const {
  uint32_t made[kWords];
  for (int64_t done = 0, taken; done < count; done += taken) {
    const int64_t block = (first + done) / 4, skipped = (first + done) % 4;
    taken = std::min(count - done, kWords - skipped);
    make_words(seed_, offset_, static_cast<uint64_t>(block), made);
    std::copy_n(made + skipped, taken, words + done);
  }
}

void fill_uniform(const RandomWords& random, float* numbers, int64_t first, int64_t count) {
  uint32_t words[kWords];
  for (int64_t done = 0, taken; done < count; done += taken) {
    taken = std::min(count - done, kWords);
    random.fill(words, first + done, taken);
    for (int64_t i = 0; i < taken; ++i) numbers[done + i] = unit_float(words[i]);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
