// SPDX-License-Identifier: Apache-2.0
#include "engines/random.h"

#include <algorithm>

#include "simd/word_products.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using Lane = Vector<uint64_t>;  // a word of as many blocks, in lower halves
constexpr int kBlocks = kLanes<uint64_t>;
constexpr int kGroups = 3;  // of blocks at once, so that one's products hide the others'
constexpr int64_t kBatch = kGroups * kBlocks;
constexpr int64_t kBatchWords = 4 * kBatch;

// What is above the lower half of a lane does not count.
struct Blocks {
  Lane words[4];
};

Lane lower(Lane lane) { return lane & 0xffffffffu; }

Lane numbers_from(uint64_t first) {
  Lane numbers;
  for (int i = 0; i < kBlocks; ++i) numbers[i] = first + static_cast<uint64_t>(i);
  return numbers;
}

inline void turn(Blocks& blocks, uint32_t low_key, uint32_t high_key) {
  auto& words = blocks.words;
  const Lane first = multiply_words(words[0], 0xD2511F53u);
  const Lane second = multiply_words(words[2], 0xCD9E8D57u);
  words[0] = (second >> 32) ^ words[1] ^ low_key;
  words[1] = second;
  words[2] = (first >> 32) ^ words[3] ^ high_key;
  words[3] = first;
}

struct Batch {
  Blocks groups[kGroups];
};

inline Batch make_batch(uint64_t seed, uint64_t fixed, int shift, uint64_t first) {
  Batch batch;
  for (int g = 0; g < kGroups; ++g) {
    const Lane numbers = numbers_from(first + static_cast<uint64_t>(g * kBlocks));
    Lane* const words = batch.groups[g].words;
    words[shift] = numbers;
    words[shift + 1] = numbers >> 32;
    words[2 - shift] = splat<Lane>(fixed);
    words[3 - shift] = splat<Lane>(fixed >> 32);
  }
  uint32_t low_key = static_cast<uint32_t>(seed), high_key = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (Blocks& blocks : batch.groups) turn(blocks, low_key, high_key);
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  return batch;
}

// The words of one block after those of another.
template <int... i>
inline void store_in_order(const Blocks& blocks, uint32_t* to, std::integer_sequence<int, i...>) {
  const Lane front = lower(blocks.words[0]) | blocks.words[1] << 32;
  const Lane back = lower(blocks.words[2]) | blocks.words[3] << 32;
  store_vector(to, __builtin_shufflevector(front, back, (i / 2 + i % 2 * kBlocks)...));
  store_vector(to + 2 * kBlocks,
               __builtin_shufflevector(front, back, (i / 2 + kBlocks / 2 + i % 2 * kBlocks)...));
}

}  // namespace

void RandomWords::fill(uint32_t* words, int64_t first, int64_t count) const {
  uint32_t made[kBatchWords];
  for (int64_t done = 0, taken; done < count; done += taken) {
    const int64_t block = (first + done) / 4, skipped = (first + done) % 4;
    taken = std::min(count - done, kBatchWords - skipped);
    uint32_t* const to = taken == kBatchWords ? words + done : made;
    const Batch batch = make_batch(seed_, fixed_, shift_, static_cast<uint64_t>(block));
    for (int g = 0; g < kGroups; ++g) {
      store_in_order(batch.groups[g], to + 4 * g * kBlocks,
                     std::make_integer_sequence<int, kBlocks>());
    }
    if (to == made) std::copy_n(made + skipped, taken, words + done);
  }
}

void RandomWords::fill_with_one(int word, uint32_t* words, int64_t first_block,
                                int64_t count) const {
  uint64_t made[kBatch];
  for (int64_t done = 0; done < count; done += kBatch) {
    const Batch batch =
        make_batch(seed_, fixed_, shift_, static_cast<uint64_t>(first_block + done));
    for (int g = 0; g < kGroups; ++g) {
      store_vector(made + g * kBlocks, batch.groups[g].words[word]);
    }
    const int64_t taken = std::min(count - done, kBatch);
    for (int64_t i = 0; i < taken; ++i) words[done + i] = static_cast<uint32_t>(made[i]);
  }
}

void RandomWords::fill_with_two(int word, uint64_t* pairs, int64_t first_block,
                                int64_t count) const {
  uint64_t made[kBatch];
  for (int64_t done = 0; done < count; done += kBatch) {
    const Batch batch =
        make_batch(seed_, fixed_, shift_, static_cast<uint64_t>(first_block + done));
    uint64_t* const to = count - done >= kBatch ? pairs + done : made;
    for (int g = 0; g < kGroups; ++g) {
      const Lane* const words = batch.groups[g].words + word;
      store_vector(to + g * kBlocks, words[0] << 32 | lower(words[1]));
    }
    if (to == made) std::copy_n(made, count - done, pairs + done);
  }
}

namespace {

// How many words from 0 on satisfy what no later one does.
template <typename Predicate>
uint64_t count_words(const Predicate& holds) {
  uint64_t least = 0, most = uint64_t{1} << 32;
  while (least < most) {
    const uint64_t middle = (least + most) / 2;
    if (holds(positive_unit_float(static_cast<uint32_t>(middle)))) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return least;
}

}  // namespace

uint64_t words_below(float bound) {
  return count_words([=](float number) { return number < bound; });
}

uint64_t words_up_to(float bound) {
  return count_words([=](float number) { return number <= bound; });
}

void fill_uniform(const RandomWords& random, float* numbers, int64_t first, int64_t count) {
  constexpr int64_t kWords = 512;
  uint32_t words[kWords];
  for (int64_t done = 0, taken; done < count; done += taken) {
    taken = std::min(count - done, kWords);
    random.fill(words, first + done, taken);
    for (int64_t i = 0; i < taken; ++i) numbers[done + i] = unit_float(words[i]);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
